import type { Setting } from '../../setting/setting.js';
import { blockMembers, blocksNamed, type PlacedBlock } from './block-members.js';
import type { MigratedKey, PlanDraft } from './migration-step.js';

/** The defaults of the block `timeouts`, in seconds. */
const standard = { connect: 10, read: 30 } as const;

const oldName = 'timeout-secs';
const block = 'timeouts';

/**
 * The former single timeout becomes `request-secs`. `connect-secs` is not longer, and `read-secs` is at least as long;
 * its default could end a response earlier than before.
 */
const newKeys = (value: unknown): readonly MigratedKey[] => {
  const isNumber = typeof value === 'number' && Number.isSafeInteger(value) && value >= 1;
  const connect: MigratedKey = {
    name: 'connect-secs',
    value: isNumber ? Math.min(standard.connect, value) : standard.connect,
  };
  const read: MigratedKey = { name: 'read-secs' };
  const needsRead = !isNumber || value > standard.read;
  return [connect, { name: 'request-secs' }, ...(needsRead ? [read] : [])];
};

const planOne = ({ block: upstream, path }: PlacedBlock, plan: PlanDraft): void => {
  const members = blockMembers(upstream);
  const old = members.filter(({ name }) => name === oldName);
  const [first, second] = old;
  if (first === undefined) return;
  const blocks = members.filter(({ name }) => name === block);
  const present = new Set(
    blocks.flatMap(({ reference }) => keysOf(upstream, reference.kind === 'child' ? reference.index : -1)),
  );
  if (second !== undefined || first.args.length !== 1 || blocks.length > 1) {
    plan.leave(first.line, `move "${oldName}" into "${block}" by hand: it needs exactly one value there`);
    return;
  }
  if (present.has('request-secs')) {
    plan.leave(first.line, `"${oldName}" and "request-secs" of "${block}" exclude each other: keep one of them`);
    return;
  }
  const keys = newKeys(first.args[0]?.value).filter(({ name }) => !present.has(name));
  const names = keys.map(({ name }) => `"${name}"`).join(', ');
  plan.add(
    { kind: 'nest', parent: path, members: [{ member: first.reference, keys }], block },
    first.line,
    `"${oldName}" of an upstream becomes ${names} of "${block}"`,
  );
};

const keysOf = (upstream: Setting, index: number): readonly string[] => {
  const found = upstream.children?.[index];
  return found === undefined ? [] : blockMembers(found).map(({ name }) => name);
};

/** Moves `timeout-secs` of upstreams into `timeouts`. */
export const planUpstreamTimeouts = (settings: readonly Setting[], plan: PlanDraft): void => {
  for (const placed of blocksNamed(settings, 'upstream', 'upstreams')) planOne(placed, plan);
};
