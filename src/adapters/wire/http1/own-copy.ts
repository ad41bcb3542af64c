/** The same text in memory of its own: a part of a longer one, such as a head, would keep all of that for as long as it is kept. */
export const ownCopy = (text: string): string => ` ${text}`.slice(1);
