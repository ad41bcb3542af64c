import { gunzipSync } from 'node:zlib';

const blockLength = 512;
const regularFile = '0';

const fieldOf = (header: Buffer, start: number, end: number): string => {
  const text = header.toString('latin1', start, end);
  const nul = text.indexOf('\0');
  return nul < 0 ? text : text.slice(0, nul);
};

const pathOf = (header: Buffer): string => {
  const name = fieldOf(header, 0, 100);
  const prefix = fieldOf(header, 345, 500);
  return (prefix === '' ? name : `${prefix}/${name}`).replace(/^\.\//, '');
};

/** The regular files of a .tar.gz in the ustar format (POSIX.1-1988): texts by path. */
export const readTarArchive = (archive: Buffer): ReadonlyMap<string, string> => {
  const tar = gunzipSync(archive);
  const files = new Map<string, string>();
  let offset = 0;
  while (offset + blockLength <= tar.length && tar[offset] !== 0) {
    const header = tar.subarray(offset, offset + blockLength);
    const size = Number.parseInt(fieldOf(header, 124, 136).trim(), 8);
    const start = offset + blockLength;
    if (header.toString('latin1', 156, 157) === regularFile)
      files.set(pathOf(header), tar.toString('utf8', start, start + size));
    offset = start + Math.ceil(size / blockLength) * blockLength;
  }
  return files;
};
