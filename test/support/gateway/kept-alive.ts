import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { SocketAddress } from '../../../src/domain/configuration/network-addresses.js';

export interface KeptAliveAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** One character for each octet. */
  readonly body: string;
}

const ask = (
  { host, port }: SocketAddress,
  method: string,
  agent: Agent,
): Promise<KeptAliveAnswer & { readonly isReused: boolean }> =>
  new Promise((resolve, reject) => {
    const sent = request({ host, port, method, agent }, (response) => {
      response.setEncoding('latin1');
      const { statusCode = 0, headers } = response;
      text(response).then(
        (body) => resolve({ status: statusCode, headers, body, isReused: sent.reusedSocket }),
        reject,
      );
    });
    sent.on('error', reject);
    sent.end();
  });

/**
 * Asks twice over one connection and gives both answers: what is wrong with the end of the first shows in the second.
 * Rejects where the connection did not serve both.
 */
export const askTwice = async (
  address: SocketAddress,
  method = 'GET',
): Promise<readonly [KeptAliveAnswer, KeptAliveAnswer]> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    const first = await ask(address, method, agent);
    const second = await ask(address, method, agent);
    if (!second.isReused) throw new Error('the connection did not serve a second request');
    return [first, second];
  } finally {
    agent.destroy();
  }
};
