import { fstatSync } from 'node:fs';

/** Octets that a pipe takes in one piece, whoever else writes to it: PIPE_BUF of Linux (pipe(7)). */
export const wholeWriteBytes = 4096;

const lineFeed = 0x0a;

/**
 * How much of whole lines to write at once so that no other process's lines come in between. A line that is longer than a pipe takes whole
 * goes alone.
 */
export const endOfPiece = (lines: Buffer): number => {
  if (lines.length <= wholeWriteBytes) return lines.length;
  const last = lines.lastIndexOf(lineFeed, wholeWriteBytes - 1);
  if (last >= 0) return last + 1;
  const first = lines.indexOf(lineFeed, wholeWriteBytes);
  return first < 0 ? lines.length : first + 1;
};

/** Whether a descriptor is a pipe or a socket, into which writes of several processes mix. What cannot be looked at counts as one. */
export const isSharedPipe = (fileDescriptor: number): boolean => {
  try {
    const status = fstatSync(fileDescriptor);
    return status.isFIFO() || status.isSocket();
  } catch {
    return true;
  }
};
