import type { Writable } from 'node:stream';

/** Resolves when a stream takes more, or has ended. A peer that takes nothing for this long is cut off. */
export const drained = (stream: Writable, timeoutMs: number, cutOff: () => void): Promise<void> =>
  new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      stream.off('drain', settle);
      stream.off('close', settle);
      resolve();
    };
    const timer = setTimeout(() => {
      cutOff();
      settle();
    }, timeoutMs);
    stream.on('drain', settle);
    stream.on('close', settle);
  });
