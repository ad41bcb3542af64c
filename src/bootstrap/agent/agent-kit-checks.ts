import type { AgentDefinition } from '../../application/agent/agent-kit/agent-definition.js';
import { isToken } from '../../domain/http/field-syntax.js';
import { AgentOptionsError } from './agent-serving-options.js';

const methods: ReadonlySet<string> = new Set<keyof AgentDefinition>([
  'configure',
  'requestHeaders',
  'requestBodyChunk',
  'responseHeaders',
  'responseBodyChunk',
  'requestComplete',
  'cancelled',
  'health',
  'metrics',
]);

/** Numbers of the kit, with what they may be. */
const ranges = {
  maxConcurrency: [1, 100_000],
  maxBodySize: [1, 1_073_741_824],
  healthIntervalMs: [100, 3_600_000],
  metricsIntervalMs: [100, 3_600_000],
} as const;

const known: ReadonlySet<string> = new Set([
  ...Object.keys(ranges),
  'socket',
  'grpc',
  'metricsAddress',
  'agentId',
  'ownedHeaders',
  'logger',
  'signals',
]);

const refuse = (message: string): never => {
  throw new AgentOptionsError(message);
};

/** Throws an AgentOptionsError where the definition cannot be an agent: a misspelt method would never be called. */
export const checkDefinition = (definition: AgentDefinition): void => {
  const { name, version } = definition;
  if (typeof name !== 'string' || !/^[\w.-]{1,64}$/.test(name)) refuse('name: 1 to 64 letters, digits, dots, hyphens');
  if (typeof version !== 'string' || version === '') refuse('version: a text, as in "1.0.0"');
  for (const [key, value] of Object.entries(definition)) {
    if (typeof value === 'function' && !methods.has(key)) refuse(`${key}: there is no event of this name`);
  }
};

const isOwnable = (name: unknown): boolean =>
  typeof name === 'string' && isToken(name.endsWith('*') ? name.slice(0, -1) : name);

/** Throws an AgentOptionsError where an option is none, or has a value that makes no sense. */
export const checkOptions = (options: Readonly<Record<string, unknown>>): void => {
  for (const key of Object.keys(options)) if (!known.has(key)) refuse(`${key}: there is no such option`);
  for (const [key, [least, most]] of Object.entries(ranges)) {
    const value = options[key];
    if (value === undefined) continue;
    const isSound = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
    if (!isSound) refuse(`${key}: a whole number from ${least} to ${most}`);
  }
  const { agentId, ownedHeaders = [] } = options;
  if (agentId !== undefined && (typeof agentId !== 'string' || agentId === '' || agentId.length > 128)) {
    refuse('agentId: 1 to 128 characters');
  }
  if (!Array.isArray(ownedHeaders) || !ownedHeaders.every(isOwnable)) {
    refuse('ownedHeaders: names of headers, and prefixes that end in *');
  }
};
