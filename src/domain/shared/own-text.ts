/**
 * The same text in memory of its own. A part of a longer text keeps all of that for as long as it is kept itself, and the
 * parts of one that is put together would have to be gone through each time that it is used.
 */
export const ownText = (text: string): string => ` ${text}`.slice(1);
