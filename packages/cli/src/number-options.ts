import { InvalidArgumentError } from 'commander';

/** Reads a whole number of an option between two bounds, both inclusive; anything else is refused by name. */
export function integerOption(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || !Number.isSafeInteger(value) || value < least || value > most) {
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}

/** The largest seed. */
export const largestSeed = 4_294_967_295;
