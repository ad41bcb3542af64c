import { type AddressInfo, connect, createServer } from 'node:net';
import type { CleanUp } from '../shared/clean-up.js';
import type { InProcessGateway } from './in-process-gateway.js';

const marks: Readonly<Record<string, string>> = { r: '\r', n: '\n', t: '\t', '0': '\0' };

/** `{y*9}` stands for nine times that character. */
const repeated = (text: string): string =>
  text.replace(/\{(.)\*(\d+)\}/g, (_all, character: string, count: string) => character.repeat(Number(count)));

/**
 * Octets as a page of the documentation has them: `\r`, `\n`, `\t`, `\0` and `\x41` stand for what they do in
 * programs.
 */
export const unescapedOctets = (text: string): Buffer =>
  Buffer.from(
    repeated(text).replace(
      /\\(?:x([0-9a-f]{2})|([rnt0]))/g,
      (_all, hex: string | undefined, mark: string | undefined) =>
        hex === undefined ? (marks[mark ?? ''] ?? '') : String.fromCharCode(Number.parseInt(hex, 16)),
    ),
    'latin1',
  );

/** An upstream that answers any request with some octets, and ends the connection. Gives its port. */
export const startRawUpstream = async (cleanUp: CleanUp, answer: () => Buffer): Promise<number> => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp.add(() => void server.close());
  return (server.address() as AddressInfo).port;
};

/** The statuses of so many answers to the octets; as many as come where the connection ends before. */
export const statusesOf = ({ address }: InProcessGateway, octets: Buffer, count: number): Promise<readonly string[]> =>
  new Promise((resolve) => {
    const socket = connect(address.port, address.host);
    let answer = '';
    const statuses = (): readonly string[] =>
      [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => String(status));
    // A gateway that wants no more of it may reset the connection.
    socket.on('error', () => undefined);
    socket.on('data', (piece) => {
      answer += piece.toString('latin1');
      if (statuses().length >= count && answer.includes('\r\n\r\n')) socket.destroy();
    });
    socket.on('close', () => resolve(statuses()));
    socket.write(octets);
  });
