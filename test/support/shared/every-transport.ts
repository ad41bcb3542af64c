import type { CleanUp } from './clean-up.js';
import { freePort } from './free-port.js';
import { type GatewayStack, startStack } from './gateway-stack.js';
import { runAgent } from './running-gateway.js';
import { temporaryFolder } from './temporary-folder.js';

/** How a gateway reaches its agents. */
export const everyTransport = ['embedded', 'socket', 'grpc'] as const;

export type EachTransport = (typeof everyTransport)[number];

/**
 * A gateway with an agent of the same configuration over each transport, each on a route `/TRANSPORT`; further blocks
 * may stand beside. The agents have these names.
 */
export const startEveryTransport = async (
  cleanUp: CleanUp,
  config: string,
  blocks: readonly string[] = [],
): Promise<GatewayStack> => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const grpcAddress = `127.0.0.1:${await freePort()}`;
  const agents = [
    runAgent(['--socket', folder.file('agent.sock')]),
    runAgent(['--socket', folder.file('other.sock'), '--grpc-address', grpcAddress]),
  ];
  cleanUp.add(() => Promise.all(agents.map((agent) => agent.stop())));
  const reached: Readonly<Record<EachTransport, string>> = {
    embedded: 'transport "embedded"',
    socket: `socket "${folder.file('agent.sock')}"`,
    grpc: `transport { grpc "${grpcAddress}" }`,
  };
  const block = (name: EachTransport): string => `
    agents { agent "${name}" { ${reached[name]}; config { ${config} } } }
    routes { route "${name}" { matches { path-prefix "/${name}" }; upstream "back"; agents "${name}" } }`;
  const stack = await startStack(cleanUp, { blocks: [...everyTransport.map(block), ...blocks].join('\n') });
  await stack.agentsPresent();
  return stack;
};
