import { versionNamed } from '../../../gateway/configuration/tls-schema.js';
import type { Setting } from '../../setting/setting.js';
import { blockMembers, blocksNamed, type PlacedBlock } from './block-members.js';
import { currentKeyName } from './current-key-name.js';
import type { MovedMember, PlanDraft, SettingPath } from './migration-step.js';

const only = (args: readonly { readonly value: unknown }[]): unknown =>
  args.length === 1 ? args[0]?.value : undefined;

/** Moves `max-connections` of `system`, formerly `server`, to `limits`. */
const planSystem = (settings: readonly Setting[], plan: PlanDraft): void => {
  settings.forEach((block, index) => {
    if (!['system', 'server'].includes(currentKeyName(block.name))) return;
    for (const { name, reference, line } of blockMembers(block)) {
      if (name !== 'max-connections') continue;
      const limits = settings.find((other) => currentKeyName(other.name) === 'limits');
      if (limits !== undefined && blockMembers(limits).some((member) => member.name === 'max-total-connections')) {
        plan.leave(
          line,
          '"max-connections" and "max-total-connections" of "limits" exclude each other: keep one of them',
        );
        continue;
      }
      plan.add(
        {
          kind: 'lift',
          parent: [index],
          member: { member: reference, keys: [{ name: 'max-total-connections' }] },
          home: [],
          block: 'limits',
        },
        line,
        '"max-connections" of the system becomes "max-total-connections" of "limits"',
      );
    }
  });
};

/** Former keys of a listener, with their replacements in `timeouts`. */
const listenerTimeouts: ReadonlyMap<string, readonly string[]> = new Map([
  ['request-timeout-secs', ['header-secs', 'body-secs']],
  ['keepalive-timeout-secs', ['idle-secs']],
]);

const planListenerTimeouts = ({ block: listener, path }: PlacedBlock, plan: PlanDraft): void => {
  const members = blockMembers(listener);
  const blocks = (listener.children ?? []).filter(({ name }) => currentKeyName(name) === 'timeouts');
  const present = new Set(blocks.flatMap(blockMembers).map(({ name }) => name));
  const moved: MovedMember[] = [];
  const notes: (readonly [line: number, message: string])[] = [];
  for (const { name, reference, line } of members) {
    const keys = listenerTimeouts.get(name);
    if (keys === undefined) continue;
    const [doubled] = keys.filter((key) => present.has(key));
    if (doubled !== undefined || blocks.length > 1) {
      plan.leave(line, `"${name}" and "timeouts" exclude each other: keep one of them`);
      continue;
    }
    moved.push({ member: reference, keys: keys.map((key) => ({ name: key })) });
    notes.push([line, `"${name}" becomes ${keys.map((key) => `"${key}"`).join(' and ')} of "timeouts"`]);
  }
  const [first] = notes;
  if (first === undefined) return;
  plan.add({ kind: 'nest', parent: path, members: moved, block: 'timeouts' }, ...first);
  for (const [line, message] of notes.slice(1)) plan.changes.push({ line, message });
};

/** Replaces values such as `min-version "TLS1.2"`. */
const planTlsVersion = ({ block: listener, path }: PlacedBlock, plan: PlanDraft): void => {
  (listener.children ?? []).forEach((tls, index) => {
    if (currentKeyName(tls.name) !== 'tls') return;
    (tls.children ?? []).forEach((setting, child) => {
      const value = only(setting.args);
      if (currentKeyName(setting.name) !== 'min-version' || typeof value !== 'string') return;
      const version = versionNamed(value);
      if (version === null || version === value) return;
      const line = setting.position?.line ?? 1;
      const step = { kind: 'retype', setting: [...path, index, child], argument: 0, value: version } as const;
      plan.add(step, line, `"${value}" becomes "${version}"`);
    });
  });
};

/** Renames breaker keys, and removes those that state the fixed behaviour. */
const planBreaker = (breaker: Setting, path: SettingPath, owner: string, plan: PlanDraft): void => {
  for (const { name, reference, args, line } of blockMembers(breaker)) {
    if (name === 'success-threshold' && only(args) === 1) {
      plan.add(
        { kind: 'remove', parent: path, member: reference },
        line,
        '"success-threshold 1" is the fixed behaviour: removed',
      );
    } else if (name === 'success-threshold') {
      plan.leave(line, 'one success closes a breaker: delete "success-threshold"');
    } else if (name === 'half-open-max-requests' && owner !== 'agent' && reference.kind === 'child') {
      const setting = [...path, reference.index];
      plan.add({ kind: 'rename', setting, name: 'probes' }, line, '"half-open-max-requests" becomes "probes"');
    } else if (name === 'half-open-max-requests' && only(args) === 1) {
      plan.add(
        { kind: 'remove', parent: path, member: reference },
        line,
        '"half-open-max-requests 1" is the fixed behaviour: removed',
      );
    } else if (name === 'half-open-max-requests') {
      plan.leave(line, 'a half-open breaker of an agent allows one call at a time: delete "half-open-max-requests"');
    } else if (name === 'timeout-secs' && reference.kind === 'child') {
      const setting = [...path, reference.index];
      plan.add({ kind: 'rename', setting, name: 'timeout-seconds' }, line, '"timeout-secs" becomes "timeout-seconds"');
    }
  }
};

const planBreakers = (settings: readonly Setting[], plan: PlanDraft): void => {
  for (const owner of ['route', 'upstream', 'agent']) {
    for (const { block, path } of blocksNamed(settings, owner, `${owner}s`)) {
      (block.children ?? []).forEach((child, index) => {
        if (currentKeyName(child.name) === 'circuit-breaker') planBreaker(child, [...path, index], owner, plan);
      });
    }
  }
};

/** Migrates keys of other gateways to their equivalents. */
export const planForeignKeys = (settings: readonly Setting[], plan: PlanDraft): void => {
  planSystem(settings, plan);
  for (const listener of blocksNamed(settings, 'listener', 'listeners')) {
    planListenerTimeouts(listener, plan);
    planTlsVersion(listener, plan);
  }
  planBreakers(settings, plan);
};
