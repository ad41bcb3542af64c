/** Octets of a unix socket's path that fit the address on every system (sun_path), its final zero left out. */
const maximumPathBytes = 103;
const encoder = new TextEncoder();

/** Node cuts a longer path off without a word, and uses another file than the one that was named. */
export const isSocketPathTooLong = (path: string): boolean => encoder.encode(path).length > maximumPathBytes;
