import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { err, ok, type Result } from '../../../domain/shared/result.js';

/** Why a file is unreadable. */
export interface FileFault {
  readonly message: string;
  /** The text before the first invalid octet; null: not applicable. */
  readonly before: string | null;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'it is a directory',
  ENOTDIR: 'a part of its path is not a directory',
  ELOOP: 'its symbolic links form a loop',
  ENAMETOOLONG: 'its name is too long',
};

const reasonOf = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return reasons[code] ?? (code === '' ? 'it cannot be read' : `it cannot be read (${code})`);
};

const refuse = (message: string, before: string | null = null) => err({ message, before });

const readBounded = async (handle: FileHandle, maximumBytes: number): Promise<Result<Buffer, FileFault>> => {
  const status = await handle.stat();
  if (status.isDirectory()) return refuse('it is a directory');
  // A pipe or device could block forever.
  if (!status.isFile()) return refuse('it is not a regular file');
  const tooLarge = `it is larger than ${maximumBytes} bytes`;
  if (status.size > maximumBytes) return refuse(tooLarge);
  const buffer = Buffer.alloc(maximumBytes + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return length > maximumBytes ? refuse(tooLarge) : ok(buffer.subarray(0, length));
};

/** The length of a UTF-8 sequence by its first octet (RFC 3629, section 3). */
const sequenceLength = (octet: number): number => {
  if (octet < 0xc0) return 1;
  if (octet < 0xe0) return 2;
  return octet < 0xf0 ? 3 : 4;
};

/** The text before the first octet that is not UTF-8. */
const validPart = (octets: Buffer): string => {
  let end = 0;
  while (end < octets.length) {
    const next = end + sequenceLength(octets[end] as number);
    if (next > octets.length || !isUtf8(octets.subarray(end, next))) break;
    end = next;
  }
  return new TextDecoder('utf-8').decode(octets.subarray(0, end));
};

/** Reads a text file of at most `maximumBytes`, without its byte order mark. Never rejects. */
export const readConfigurationText = async (path: string, maximumBytes: number): Promise<Result<string, FileFault>> => {
  try {
    const handle = await open(path, 'r');
    try {
      const read = await readBounded(handle, maximumBytes);
      if (!read.ok) return read;
      if (!isUtf8(read.value)) return refuse('it is not valid UTF-8', validPart(read.value));
      return ok(new TextDecoder('utf-8').decode(read.value));
    } finally {
      await handle.close();
    }
  } catch (error) {
    return refuse(reasonOf(error));
  }
};
