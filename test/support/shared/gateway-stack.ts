import { RecordingUpstream } from '../gateway/recording-upstream.js';
import type { CleanUp } from './clean-up.js';
import { freePort } from './free-port.js';
import { call, type HttpAnswer, type HttpCall } from './http-call.js';
import type { RunningProcess } from './processes.js';
import { runAgent, startBuiltGateway } from './running-gateway.js';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.js';

/**
 * What differs from one route `/` to one upstream, beside built-in /health. Texts are members of their blocks, in
 * KDL.
 */
export interface StackPlan {
  /** None: no agent judges. */
  readonly transport?: 'embedded' | 'socket';
  /** How the gateway reaches the agent's process, in KDL, where that is not its socket. */
  readonly reachedBy?: string;
  /** Where it names the listener: made of its port. */
  readonly agentConfig?: string | ((port: number) => string);
  readonly agentMembers?: string;
  /** For the agent's process, beside its socket. */
  readonly agentArguments?: readonly string[];
  /** False leaves the agent's process unstarted. */
  readonly startAgent?: boolean;
  /** False: it is not waited for. */
  readonly awaitsAgent?: boolean;
  /** The agent's socket, where it is not one of the stack's own. */
  readonly socket?: string;
  readonly listenerMembers?: string;
  /** Members of further listeners, each under its name; their ports are the stack's to choose. */
  readonly listeners?: Readonly<Record<string, string>>;
  readonly adminToken?: string;
  readonly upstreamMembers?: string;
  readonly routes?: string;
  /** Whole top-level blocks. */
  readonly blocks?: string;
  readonly env?: Readonly<Record<string, string>>;
}

interface Places {
  readonly port: number;
  readonly adminPort: number;
  readonly upstreamPort: number;
  readonly socket: string;
  /** Of the further listeners. */
  readonly ports: Readonly<Record<string, number>>;
}

const furtherListeners = ({ listeners = {} }: StackPlan, ports: Readonly<Record<string, number>>): string =>
  Object.entries(listeners)
    .map(([name, members]) => `listener "${name}" { address "127.0.0.1:${ports[name]}"; ${members} }`)
    .join('\n');

/** The socket layer under test; none where the test has a block of its own, or leaves it to the gateway. */
const systemText = ({ blocks = '' }: StackPlan): string => {
  const sockets = process.env['PORTCULLIS_TEST_SOCKETS'];
  return sockets === undefined || blocks.includes('system {') ? '' : `system { sockets "${sockets}" }\n`;
};

const configurationText = (plan: StackPlan, { port, adminPort, upstreamPort, socket, ports }: Places): string => {
  const transport = plan.transport === 'embedded' ? 'transport "embedded"' : (plan.reachedBy ?? `socket "${socket}"`);
  const { agentConfig = '' } = plan;
  const agents = `agents { agent "auth" {
    ${transport}
    ${plan.agentMembers ?? ''}
    config { ${typeof agentConfig === 'string' ? agentConfig : agentConfig(port)} }
  } }`;
  return `${systemText(plan)}listeners {
  listener "main" { address "127.0.0.1:${port}"; ${plan.listenerMembers ?? ''} }
  ${furtherListeners(plan, ports)}
}
admin { address "127.0.0.1:${adminPort}"; ${plan.adminToken ? `token "${plan.adminToken}"` : ''} }
routes {
  route "health" { priority 1000; matches { path "/health" }; service-type "builtin"; builtin-handler "health" }
  route "all" { matches { path-prefix "/" }; upstream "back"; ${plan.transport ? 'agents "auth"' : ''} }
  ${plan.routes ?? ''}
}
upstreams { upstream "back" { target "127.0.0.1:${upstreamPort}"; ${plan.upstreamMembers ?? ''} } }
${plan.transport ? agents : ''}
${plan.blocks ?? ''}
`;
};

/** The built programs at work: client, gateway, agent where there is one, upstream. */
export interface GatewayStack {
  readonly port: number;
  /** Port of one of the further listeners. */
  portOf(listener: string): number;
  readonly adminPort: number;
  readonly upstream: RecordingUpstream;
  /** Where the upstream listens: host:port. */
  readonly upstreamAddress: string;
  readonly folder: TemporaryFolder;
  readonly configFile: string;
  readonly gateway: RunningProcess;
  /** The agent's process where it has one; fails otherwise. */
  agent(): RunningProcess;
  /** Starts an agent's process in place of the one before. */
  restartAgent(): RunningProcess;
  /** Writes the configuration anew; SIGHUP brings it into force. */
  rewrite(changes: StackPlan): void;
  /** SIGHUP to the gateway; resolves once the configuration, as it stands in the file, is in force. */
  reload(): Promise<void>;
  /** A request to the listener. */
  ask(options?: HttpCall): Promise<HttpAnswer>;
  /** Body of a GET of an admin endpoint. */
  adminText(path: string): Promise<string>;
  /** A GET of an admin endpoint, read as JSON. */
  report(path: string): Promise<Record<string, unknown>>;
  /** The sum of the series of this name on /metrics that have all of these labels; an unknown name throws. */
  metric(name: string, ...labels: readonly string[]): Promise<number>;
  /** Resolves once the gateway has an agent that takes calls. */
  agentsPresent(): Promise<void>;
  /** Resolves once no agent lacks keys, metadata or a store, and no verifier warms up. */
  agentsHealthy(): Promise<void>;
}

const pollMs = 10;
const patienceMs = 20_000;

/** Resolves once a condition holds that has to be asked for; rejects after 20 s, saying what was awaited. */
export const untilTrue = async (what: string, condition: () => boolean | Promise<boolean>): Promise<void> => {
  const givesUpMs = Date.now() + patienceMs;
  while (!(await condition())) {
    if (Date.now() > givesUpMs) throw new Error(`in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
};

/** Starts everything and waits until it serves; `cleanUp` ends it. */
export const startStack = async (cleanUp: CleanUp, plan: StackPlan = {}): Promise<GatewayStack> => {
  const folder = temporaryFolder();
  cleanUp.add(() => folder.remove());
  const upstream = new RecordingUpstream();
  const upstreamPort = await upstream.listen();
  cleanUp.add(() => upstream.close());
  const ports: Record<string, number> = {};
  for (const name of Object.keys(plan.listeners ?? {})) ports[name] = await freePort();
  const places = {
    ports,
    port: await freePort(),
    adminPort: await freePort(),
    upstreamPort,
    socket: plan.socket ?? folder.file('agent.sock'),
  };
  const configFile = folder.write('gateway.kdl', configurationText(plan, places));

  let agent: RunningProcess | null = null;
  const restartAgent = (): RunningProcess => {
    const started = runAgent(['--socket', places.socket, ...(plan.agentArguments ?? [])]);
    agent = started;
    cleanUp.add(() => started.stop());
    return started;
  };
  const hasAgent = plan.transport !== undefined && plan.startAgent !== false;
  if (hasAgent && plan.transport === 'socket') restartAgent();
  const gateway = await startBuiltGateway(
    configFile,
    [places.port, places.adminPort, ...Object.values(ports)],
    plan.env,
  );
  cleanUp.add(() => gateway.stop());

  const adminText = async (path: string): Promise<string> => {
    const headers = plan.adminToken === undefined ? {} : { Authorization: `Bearer ${plan.adminToken}` };
    return (await call(places.adminPort, { path, headers })).body;
  };
  const report = async (path: string): Promise<Record<string, unknown>> =>
    JSON.parse(await adminText(path)) as Record<string, unknown>;
  const reloads = async (): Promise<unknown> => (await report('/status'))['config_reload_count'];
  const stack: GatewayStack = {
    port: places.port,
    portOf: (listener) => {
      const port = ports[listener];
      if (port === undefined) throw new Error(`there is no listener ${listener}`);
      return port;
    },
    adminPort: places.adminPort,
    upstream,
    upstreamAddress: `127.0.0.1:${upstreamPort}`,
    folder,
    configFile,
    gateway,
    agent: () => {
      if (agent === null) throw new Error('this agent is no process of its own');
      return agent;
    },
    restartAgent,
    rewrite: (changes) => {
      folder.write('gateway.kdl', configurationText({ ...plan, ...changes }, places));
    },
    reload: async () => {
      const before = await reloads();
      gateway.signal('SIGHUP');
      await untilTrue('the new configuration is in force', async () => (await reloads()) !== before);
    },
    ask: (options) => call(places.port, options),
    adminText,
    report,
    metric: async (name, ...labels) => {
      const lines = (await adminText('/metrics')).split('\n');
      const family = name.replace(/_(?:bucket|count|sum)$/, '');
      if (!lines.some((line) => line.startsWith(`# TYPE ${name} `) || line.startsWith(`# TYPE ${family} `)))
        throw new Error(`/metrics has no ${name}`);
      const series = lines.filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
      const wanted = series.filter((line) => labels.every((label) => line.includes(label)));
      return wanted.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
    },
    agentsPresent: () =>
      untilTrue('no agent is absent', async () => JSON.stringify((await report('/ready'))['absent_agents']) === '[]'),
    agentsHealthy: () =>
      untilTrue('every agent is healthy', async () => {
        const agents = (await report('/ready'))['agents'] as Readonly<Record<string, { readonly state: string }>>;
        return Object.values(agents).every(({ state }) => state === 'healthy');
      }),
  };
  if (hasAgent && plan.awaitsAgent !== false) await stack.agentsPresent();
  return stack;
};
