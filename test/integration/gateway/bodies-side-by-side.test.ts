import { connect } from 'node:net';
import { describe, expect } from 'vitest';
import { startHttpUpstream } from '../../support/gateway/http-upstream.js';
import { startInProcess, testConfiguration, testUpstream } from '../../support/gateway/in-process-gateway.js';
import type { CleanUp } from '../../support/shared/clean-up.js';
import { it } from '../../support/shared/fixtures.js';

/** More than the system holds of a connection. */
const octets = 12_000_000;
const piece = 60_000;

/** A gateway whose upstream answers each path with a body of its last letter alone. */
const start = async (cleanUp: CleanUp) => {
  const upstream = await startHttpUpstream((request, response) => {
    const [form, letter] = [request.url?.at(1), request.url?.at(-1) ?? ''];
    if (form === 'l') response.setHeader('Content-Length', octets);
    let left = octets;
    const goOn = (): void => {
      let takesMore = true;
      for (; left > 0 && takesMore; left -= piece) takesMore = response.write(letter.repeat(piece));
      if (left > 0) response.once('drain', goOn);
      else response.end();
    };
    goOn();
  });
  cleanUp.add(() => upstream.close());
  const gateway = await startInProcess(testConfiguration([testUpstream(upstream.port)]));
  cleanUp.add(() => gateway.stop());
  return gateway.address;
};

/** How often each octet came. It is not read before `begin` resolves. */
const asked = async (address: { host: string; port: number }, path: string, begin: Promise<unknown>) => {
  const counts = new Uint32Array(256);
  const socket = connect(address);
  socket.write(`GET /${path} HTTP/1.1\r\nHost: gateway\r\nConnection: close\r\n\r\n`);
  await begin;
  await new Promise((resolve, reject) => {
    socket.on('data', (octets: Buffer) => {
      for (const octet of octets) counts[octet] = (counts[octet] ?? 0) + 1;
    });
    socket.on('error', reject).on('close', resolve);
  });
  return (letter: string): number => counts[letter.charCodeAt(0)] ?? 0;
};

describe('concurrent large responses', () => {
  it.for([
    ['with a length', 'l'],
    ['in chunks', 'c'],
  ] as const)('%s have only their own octets, read at once or late', async ([_, form], { cleanUp }) => {
    const address = await start(cleanUp);
    const slow = 'KLM';
    const fast = 'XYZ';
    const fastOnes = Promise.all([...fast].map((letter) => asked(address, `${form}/${letter}`, Promise.resolve())));
    const slowOnes = Promise.all([...slow].map((letter) => asked(address, `${form}/${letter}`, fastOnes)));
    const all = [...(await fastOnes), ...(await slowOnes)];
    for (const [at, countOf] of all.entries()) {
      for (const [other, letter] of [...fast, ...slow].entries()) {
        // Some letters are in the head, too.
        if (other === at) expect(countOf(letter)).toBeGreaterThanOrEqual(octets);
        else expect(countOf(letter)).toBeLessThan(20);
      }
    }
  });
});
