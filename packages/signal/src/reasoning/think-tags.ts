/** A stretch of text, and whether it is reasoning. */
export interface ThinkPiece {
  readonly kind: 'text' | 'thinking';
  readonly text: string;
}

/** Splits a text that comes in pieces. */
export interface ThinkSplitter {
  push(text: string): readonly ThinkPiece[];
  /** What comes from here on is text, as it is: it need not be pushed. */
  isText(): boolean;
  /** What was held back. */
  end(): readonly ThinkPiece[];
}

const tags = ['think', 'thinking', 'thought'] as const;

/**
 * Splits reasoning that a model wrote into its text: only where the text begins with `<think>`, `<thinking>` or `<thought>`, to the closing tag or the
 * end. White space around the tags is dropped. The same wherever the text is cut; at most a tag's length is held back.
 */
export function createThinkSplitter(): ThinkSplitter {
  let state: 'before' | 'thinking' | 'after' | 'text' = 'before';
  let leading = '';
  let held = '';
  let closer = '';

  const before = (text: string): readonly ThinkPiece[] => {
    const trimmed = held === '' ? text.trimStart() : text;
    if (held === '') leading += text.slice(0, text.length - trimmed.length);
    held += trimmed;
    if (held === '') return [];
    const tag = tags.find((name) => held.startsWith(`<${name}>`));
    if (tag !== undefined) {
      const rest = held.slice(tag.length + 2);
      closer = `</${tag}>`;
      state = 'thinking';
      held = '';
      return thinking(rest);
    }
    if (tags.some((name) => `<${name}>`.startsWith(held))) return [];
    const whole = leading + held;
    state = 'text';
    held = '';
    return [{ kind: 'text', text: whole }];
  };
  const thinking = (text: string): readonly ThinkPiece[] => {
    const all = held + text;
    const end = all.indexOf(closer);
    if (end >= 0) {
      state = 'after';
      held = '';
      return [...piece('thinking', all.slice(0, end)), ...after(all.slice(end + closer.length))];
    }
    const kept = partialSuffix(all, closer);
    held = all.slice(all.length - kept);
    return piece('thinking', all.slice(0, all.length - kept));
  };
  const after = (text: string): readonly ThinkPiece[] => {
    const rest = text.trimStart();
    if (rest === '') return [];
    state = 'text';
    return [{ kind: 'text', text: rest }];
  };

  return {
    push(text) {
      if (state === 'before') return before(text);
      if (state === 'thinking') return thinking(text);
      return state === 'after' ? after(text) : piece('text', text);
    },
    isText: () => state === 'text',
    end() {
      const rest = state === 'before' ? piece('text', leading + held) : state === 'thinking' ? piece('thinking', held) : [];
      state = 'text';
      held = '';
      return rest;
    },
  };
}

const piece = (kind: ThinkPiece['kind'], text: string): readonly ThinkPiece[] => (text === '' ? [] : [{ kind, text }]);

/** The length of the longest end of `text` that `word` begins with. */
function partialSuffix(text: string, word: string): number {
  for (let length = Math.min(word.length - 1, text.length); length > 0; length -= 1)
    if (text.endsWith(word.slice(0, length))) return length;
  return 0;
}
