/** The same text in memory of its own: a part of a longer one, such as a head, would keep all of that for as long as it is kept. */
// INVARIANT: `join` writes its characters one behind the other. What `slice` gives is a part of something, which V8 compares six times slower.
export const ownCopy = (text: string): string => [text.charAt(0), text.slice(1)].join('');
