/**
 * Makes a way to add the field `name` to objects, which is worked out when it is first read, and is the object's own and enumerable like any other.
 * All objects share one getter: an engine makes a hidden class, which only a full collection frees, for each object with a getter of its own.
 */
export function lazyField<Name extends string, Value>(
  name: Name,
): <Target extends object>(target: Target, make: () => Value) => Target & { readonly [Field in Name]: Value } {
  const held = Symbol(name);
  const field: PropertyDescriptor = {
    enumerable: true,
    configurable: true,
    get(this: { readonly [held]: Holder<Value> }): Value {
      const holder = this[held];
      if (holder.made === undefined) holder.made = { value: holder.make() };
      return holder.made.value;
    },
  };
  return <Target extends object>(target: Target, make: () => Value) => {
    const holder: Holder<Value> = { make, made: undefined };
    Object.defineProperty(target, held, { value: holder });
    // The descriptor above is what makes it so.
    return Object.defineProperty(target, name, field) as Target & { readonly [Field in Name]: Value };
  };
}

interface Holder<Value> {
  readonly make: () => Value;
  made: { readonly value: Value } | undefined;
}
