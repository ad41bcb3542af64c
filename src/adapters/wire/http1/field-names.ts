/** Names that are remembered; a power of 2. */
const slots = 1_024;
/** Characters: no client can have more than `slots` of these held. */
const longest = 64;

/** Field names by what tells most of them apart. Another name with the same slot takes its place. */
const remembered: string[] = new Array<string>(slots).fill('');

/**
 * The name between two places of a head. The same text, object and all, for the same name in most cases: it is not made
 * anew for each message, and tables find it by its hash.
 */
export const fieldName = (text: string, start: number, end: number): string => {
  const length = end - start;
  if (length > longest) return text.slice(start, end);
  // The factors keep the names that browsers, servers and this gateway send apart, in both of their spellings.
  const slot =
    (length * 155 +
      text.charCodeAt(start) * 197 +
      text.charCodeAt(end - 1) * 125 +
      text.charCodeAt(start + (length >> 1)) * 117 +
      text.charCodeAt(start + ((length * 3) >> 2)) * 225) &
    (slots - 1);
  const known = remembered[slot] as string;
  if (known.length === length && text.startsWith(known, start)) return known;
  const codes: number[] = [];
  for (let at = start; at < end; at += 1) codes.push(text.charCodeAt(at));
  // INVARIANT: a copy. A slice of the head would keep all of it for as long as the name is remembered.
  const name = String.fromCharCode(...codes);
  remembered[slot] = name;
  return name;
};
