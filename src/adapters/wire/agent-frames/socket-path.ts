/** Maximum octets of a Unix socket path on every system (sun_path without its final zero). */
const maxPathBytes = 103;
const encoder = new TextEncoder();

/** Node silently truncates a longer path and would use another file. */
export const isSocketPathTooLong = (path: string): boolean => encoder.encode(path).length > maxPathBytes;
