import type { ClientHttp2Stream } from 'node:http2';

/**
 * Tells a response that has ended from one that was cut off: node:http2 ends the readable side of a stream that its peer
 * resets with NO_ERROR just as if END_STREAM had come. It closes the stream before it does so then, and not else.
 */
export const onResponseEnd = (stream: ClientHttp2Stream, ended: (isWhole: boolean) => void): void => {
  const { push } = stream;
  stream.push = function (chunk: unknown, encoding?: BufferEncoding): boolean {
    if (chunk !== null) return push.call(this, chunk, encoding);
    stream.push = push;
    const isWhole = !stream.closed;
    const result = push.call(this, null);
    ended(isWhole);
    return result;
  };
};
