/**
 * The same text in memory of its own. A part of a longer text keeps all of that for as long as it is kept itself, and the
 * parts of one that is put together would have to be gone through each time that it is used.
 */
// INVARIANT: `join` writes its characters one behind the other. What `slice` gives is a part of something, which V8 compares six times slower.
export const ownText = (text: string): string => [text.charAt(0), text.slice(1)].join('');
