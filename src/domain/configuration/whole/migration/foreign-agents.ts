import { otherSubscription } from '../../../gateway/configuration/agent-schema.js';
import type { Setting } from '../../setting/setting.js';
import { blockMembers, blocksNamed, type PlacedBlock } from './block-members.js';
import { currentKeyName } from './current-key-name.js';
import type { PlanDraft, SettingPath } from './migration-step.js';

const lineOf = ({ position }: Setting): number => position?.line ?? 1;

/** Kinds of transport by current key name, which has no underscores. */
const transports: ReadonlyMap<string, string> = new Map([
  ['unix-socket', 'unix_socket'],
  ['uds', 'unix_socket'],
  ['grpc', 'grpc'],
]);

/** Moves `unix-socket` and `grpc` of an agent into `transport`. */
const planTransport = ({ block: agent, path }: PlacedBlock, plan: PlanDraft): void => {
  const members = blockMembers(agent);
  const found = members.filter(({ name }) => transports.has(name));
  const [first, second] = found;
  if (first === undefined) return;
  if (second !== undefined || members.some(({ name }) => name === 'transport' || name === 'socket')) {
    plan.leave(first.line, `"${first.name}" and another transport of the agent exclude each other: keep one of them`);
    return;
  }
  const name = transports.get(first.name) ?? first.name;
  plan.add(
    { kind: 'nest', parent: path, members: [{ member: first.reference, keys: [{ name }] }], block: 'transport' },
    first.line,
    `"${first.name}" moves to "transport"`,
  );
};

/** Renames the kinds inside `transport`, such as `unix-socket`. */
const planTransportName = (agent: Setting, path: SettingPath, plan: PlanDraft): void => {
  (agent.children ?? []).forEach((transport, index) => {
    if (currentKeyName(transport.name) !== 'transport') return;
    (transport.children ?? []).forEach((kind, child) => {
      const name = transports.get(currentKeyName(kind.name));
      if (name === undefined || name === kind.name) return;
      const step = { kind: 'rename', setting: [...path, index, child], name } as const;
      plan.add(step, lineOf(kind), `"${kind.name}" becomes "${name}"`);
    });
  });
};

const plainAddress = (value: unknown): string | null =>
  typeof value === 'string' ? (/^(?:http|grpc):\/\/([^/?#@]+)\/?$/i.exec(value)?.[1] ?? null) : null;

/** Removes the scheme of a gRPC address, in the argument, the property `address` or the key `address`. */
const planGrpcAddress = (grpc: Setting, path: SettingPath, plan: PlanDraft): void => {
  const retype = (setting: SettingPath, argument: number | string, value: unknown): void => {
    const address = plainAddress(value);
    if (address === null) return;
    const message = 'the gRPC address loses its scheme';
    plan.add({ kind: 'retype', setting, argument, value: address }, lineOf(grpc), message);
  };
  grpc.args.forEach(({ value }, argument) => retype(path, argument, value));
  for (const { name, value } of grpc.properties) retype(path, name, value.value);
  (grpc.children ?? []).forEach((child, index) => {
    if (currentKeyName(child.name) === 'address') retype([...path, index], 0, child.args[0]?.value);
  });
};

const planGrpc = (agent: Setting, path: SettingPath, plan: PlanDraft): void => {
  (agent.children ?? []).forEach((child, index) => {
    const name = currentKeyName(child.name);
    if (name === 'grpc') planGrpcAddress(child, [...path, index], plan);
    if (name !== 'transport') return;
    (child.children ?? []).forEach((kind, inner) => {
      if (currentKeyName(kind.name) === 'grpc') planGrpcAddress(kind, [...path, index, inner], plan);
    });
  });
};

/** Replaces types such as `type "auth"`, which describe the purpose of an agent. */
const planType = (setting: Setting, path: SettingPath, plan: PlanDraft): void => {
  const value = setting.args[0]?.value;
  if (typeof value !== 'string' || value === 'custom') return;
  const step = { kind: 'retype', setting: path, argument: 0, value: 'custom' } as const;
  plan.add(step, lineOf(setting), `the agent type "${value}" becomes "custom"`);
};

/** Replaces event names such as `request_body`. */
const planEvents = (setting: Setting, path: SettingPath, plan: PlanDraft): void => {
  setting.args.forEach(({ value }, argument) => {
    if (typeof value !== 'string') return;
    const event = otherSubscription(value);
    if (event === null || event === value) return;
    const step = { kind: 'retype', setting: path, argument, value: event } as const;
    plan.add(step, lineOf(setting), `the event "${value}" becomes "${event}"`);
  });
};

/** Migrates agent keys of other gateways. */
export const planForeignAgents = (settings: readonly Setting[], plan: PlanDraft): void => {
  for (const placed of blocksNamed(settings, 'agent', 'agents')) {
    const { block: agent, path } = placed;
    planTransport(placed, plan);
    planTransportName(agent, path, plan);
    planGrpc(agent, path, plan);
    (agent.children ?? []).forEach((child, index) => {
      const name = currentKeyName(child.name);
      if (name === 'type') planType(child, [...path, index], plan);
      if (name === 'events') planEvents(child, [...path, index], plan);
    });
  }
};
