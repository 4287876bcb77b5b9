import { createLogUpdate } from 'log-update';

/** Text on a terminal that is drawn anew in its place. */
export interface Drawing {
  draw(text: string): void;
  /** Takes away what was drawn, so that other text can be written. */
  clear(): void;
}

// Both select what is selected already.
const marks = ['\u001b[39m', '\u001b[49m'] as const;

/**
 * A drawing on a terminal's stream, written whole each time: where the number of lines changes, log-update writes over lines below that stay. It
 * patches nothing when the first line differs, so that line always does, by a mark that nobody sees.
 */
export function createDrawing(stream: NodeJS.WriteStream): Drawing {
  const log = createLogUpdate(stream, { showCursor: true });
  let turn = 0;
  return {
    draw(text) {
      turn = 1 - turn;
      log(`${marks[turn]}${text}`);
    },
    clear: () => log.clear(),
  };
}
