/** What a thrown value says, never throwing itself: an error's message, else the value as text; foreign code may throw anything. */
export function thrownMessage(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : thrown;
    return String(message);
  } catch {
    return 'something that cannot be shown was thrown';
  }
}
