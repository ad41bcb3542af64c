import type { Setting } from '../../setting/setting.js';
import { type BlockMember, blockMembers } from './block-members.js';
import { currentKeyName } from './current-key-name.js';
import type { PlanDraft, SettingPath } from './migration-step.js';

/** A block inside `observability`. */
interface Part {
  readonly block: Setting;
  readonly path: SettingPath;
  readonly members: readonly BlockMember[];
}

/** The outcome of a member: it states the default, it moves, or it stays with a remedy. */
type Outcome =
  | { readonly kind: 'holds' }
  | { readonly kind: 'goes'; readonly block: string; readonly name: string; readonly value?: string }
  | { readonly kind: 'stays'; readonly message: string };

const holds: Outcome = { kind: 'holds' };
const stays = (message: string): Outcome => ({ kind: 'stays', message });

const argumentOf = ({ args }: BlockMember): unknown =>
  args.length === 0 ? true : args.length === 1 ? args[0]?.value : null;

const isOff = (members: readonly BlockMember[]): boolean =>
  members.some((member) => member.name === 'enabled' && [false, 'false'].includes(argumentOf(member) as boolean));

const isOn = (member: BlockMember): boolean => [true, 'true'].includes(argumentOf(member) as boolean);

const metricsOutcome = (member: BlockMember, hasAddress: boolean): Outcome => {
  if (['address', 'listen', 'bind'].includes(member.name)) return { kind: 'goes', block: 'admin', name: 'address' };
  if (member.name === 'enabled' && isOn(member)) {
    return hasAddress ? holds : { kind: 'goes', block: 'admin', name: 'address', value: '127.0.0.1:9090' };
  }
  if (member.name === 'path' && argumentOf(member) === '/metrics') return holds;
  if (member.name === 'path') return stays('metrics are at /metrics: delete "path" and point the scraper there');
  if (member.name === 'high-cardinality' && argumentOf(member) === false) return holds;
  return stays(`"${member.name}" of metrics has no equivalent: delete it`);
};

const loggingOutcome = (member: BlockMember): Outcome => {
  const value = argumentOf(member);
  if (member.name === 'level') {
    return value === 'info' ? holds : stays(`delete "level" and start the gateway with RUST_LOG=${String(value)}`);
  }
  if (member.name === 'format') {
    return value === 'json' ? holds : stays('delete "format" and start the gateway with GATEWAY_LOG_FORMAT=pretty');
  }
  if (['timestamps', 'access-log', 'error-log'].includes(member.name) && value === true) return holds;
  return stays(`"${member.name}" of logging has no equivalent, because the log goes to standard output: delete it`);
};

const tracingNames: ReadonlyMap<string, string> = new Map([
  ['endpoint', 'endpoint'],
  ['sampling-rate', 'sample-ratio'],
  ['sampling-ratio', 'sample-ratio'],
  ['sample-rate', 'sample-ratio'],
  ['sample-ratio', 'sample-ratio'],
  ['service-name', 'service-name'],
]);

const tracingOutcome = (member: BlockMember): Outcome => {
  if (member.name === 'enabled' && isOn(member)) return holds;
  const value = argumentOf(member);
  if (member.name === 'endpoint' && typeof value === 'string' && /:4317\/?$/.test(value)) {
    return stays('the gateway sends spans by OTLP over HTTP: write endpoint "http://host:4318/v1/traces"');
  }
  const name = tracingNames.get(member.name);
  return name === undefined
    ? stays(`"${member.name}" of tracing has no equivalent: delete it`)
    : { kind: 'goes', block: 'tracing', name };
};

const outcomeOf = (kind: string, member: BlockMember, members: readonly BlockMember[]): Outcome => {
  if (kind === 'metrics') {
    return metricsOutcome(
      member,
      members.some(({ name }) => ['address', 'listen', 'bind'].includes(name)),
    );
  }
  return kind === 'logging' ? loggingOutcome(member) : tracingOutcome(member);
};

/** Plans the members of a part. False: a member stays. */
const planPart = ({ path, members }: Part, kind: string, plan: PlanDraft): boolean => {
  if (isOff(members)) return true;
  const outcomes = members.map((member) => ({ member, outcome: outcomeOf(kind, member, members) }));
  const staying = outcomes.filter(({ outcome }) => outcome.kind === 'stays');
  for (const { member, outcome } of staying) {
    if (outcome.kind === 'stays') plan.leave(member.line, outcome.message);
  }
  if (staying.length > 0) return false;
  for (const { member, outcome } of outcomes) {
    if (outcome.kind !== 'goes') continue;
    const { block, name, value } = outcome;
    const key = value === undefined ? { name } : { name, value };
    plan.add(
      { kind: 'lift', parent: path, member: { member: member.reference, keys: [key] }, home: [], block },
      member.line,
      `"${member.name}" of ${kind} becomes "${name}" of "${block}"`,
    );
  }
  return true;
};

const partsOf = (block: Setting, path: SettingPath): readonly (readonly [kind: string, index: number, part: Part])[] =>
  (block.children ?? []).map((child, index) => [
    currentKeyName(child.name),
    index,
    { block: child, path: [...path, index], members: blockMembers(child) },
  ]);

/** Whether a top-level block already has the content of a part. */
const taken = (kind: string, settings: readonly Setting[]): boolean => {
  const block = kind === 'metrics' ? 'admin' : kind;
  return kind !== 'logging' && settings.some(({ name }) => currentKeyName(name) === block);
};

/**
 * Splits `observability { metrics; logging; tracing }` into the current blocks, and removes members that state the
 * default.
 */
export const planObservability = (settings: readonly Setting[], plan: PlanDraft): void => {
  settings.forEach((block, top) => {
    if (currentKeyName(block.name) !== 'observability') return;
    const line = block.position?.line ?? 1;
    let isWhole = block.properties.length === 0 && block.args.length === 0;
    const parts = partsOf(block, [top]);
    for (const [kind, index, part] of parts) {
      const at = part.block.position?.line ?? line;
      if (!['metrics', 'logging', 'tracing'].includes(kind)) {
        plan.leave(at, `"${part.block.name}" of observability has no equivalent: delete it`);
        isWhole = false;
      } else if (taken(kind, settings)) {
        plan.leave(at, `"${kind}" occurs in observability and at top level: keep one of them`);
        isWhole = false;
      } else if (planPart(part, kind, plan)) {
        const message = `"${kind}" leaves "observability"`;
        plan.add({ kind: 'remove', parent: [top], member: { kind: 'child', index } }, at, message);
      } else isWhole = false;
    }
    if (isWhole) plan.add({ kind: 'drop', setting: top }, line, '"observability" is removed');
  });
};
