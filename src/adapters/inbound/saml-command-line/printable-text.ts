/** Control characters, and those that turn the direction of text, shown as spaces: a session must not paint on a terminal. */
export const printableText = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, ' ');

/** A moment in UTC, as in `2026-01-02T03:04:05Z`. */
export const shownMoment = (ms: number): string => {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : `${date.toISOString().slice(0, 19)}Z`;
};
