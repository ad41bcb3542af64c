import type { Setting } from '../../setting/setting.js';
import { currentKeyName } from './current-key-name.js';
import { disabledName } from './disabled-setting.js';
import type { PlanDraft } from './migration-step.js';

/** Former top-level blocks, with the group that contains them now. */
const groups: ReadonlyMap<string, string> = new Map([
  ['listener', 'listeners'],
  ['route', 'routes'],
  ['upstream', 'upstreams'],
  ['agent', 'agents'],
]);

const lineOf = (setting: Setting): number => setting.position?.line ?? 1;

/** Renames `server` to `system`. */
const renameServer = (settings: readonly Setting[], plan: PlanDraft): void => {
  const hasSystem = settings.some(({ name }) => name === 'system');
  const servers = settings.flatMap((setting, index) => (setting.name === 'server' ? [{ setting, index }] : []));
  for (const { setting, index } of servers) {
    if (hasSystem || servers.length > 1) {
      plan.leave(lineOf(setting), '"server" is now "system", which already exists: merge the two by hand');
    } else {
      plan.add({ kind: 'rename', setting: [index], name: 'system' }, lineOf(setting), '"server" becomes "system"');
    }
  }
};

/** Whether a block has a name; groups do not. */
const isNamed = (setting: Setting): boolean => setting.args.length > 0;

const kindOf = ({ name }: Setting): string => currentKeyName(disabledName(name) ?? name);

/** Commented-out blocks of the same kind directly before a block. */
const disabledBefore = (settings: readonly Setting[], index: number): readonly number[] => {
  const own = settings[index];
  const before: number[] = [];
  for (let at = index - 1; at >= 0; at -= 1) {
    const other = settings[at];
    if (own === undefined || other === undefined || disabledName(other.name) === null || kindOf(other) !== kindOf(own))
      break;
    before.unshift(at);
  }
  return before;
};

/** Wraps consecutive blocks of one kind in a group. This keeps the order of routes. */
const groupBlocks = (settings: readonly Setting[], plan: PlanDraft): void => {
  let run: number[] = [];
  const close = (): void => {
    const first = settings[run.find((index) => disabledName(settings[index]?.name ?? '') === null) ?? -1];
    const block = groups.get(currentKeyName(first?.name ?? ''));
    const count = run.filter((index) => disabledName(settings[index]?.name ?? '') === null).length;
    if (first !== undefined && block !== undefined) {
      const what = count === 1 ? `"${first.name}" moves` : `${count} blocks "${first.name}" move`;
      plan.add({ kind: 'wrap', settings: run, block }, lineOf(first), `${what} to "${block}"`);
    }
    run = [];
  };
  settings.forEach((setting, index) => {
    const [start] = run.flatMap((one) => settings[one] ?? []);
    const isSameKind = start !== undefined && kindOf(start) === kindOf(setting);
    if (isSameKind && disabledName(setting.name) !== null) {
      run.push(index);
      return;
    }
    if (!isSameKind) close();
    if (!groups.has(currentKeyName(setting.name))) return;
    if (isNamed(setting)) run.push(...(run.length === 0 ? disabledBefore(settings, index) : []), index);
    else plan.leave(lineOf(setting), `"${setting.name}" needs a name: write ${setting.name} "name" { ... }`);
  });
  close();
};

/** Migrates top-level blocks. */
export const planTopLevel = (settings: readonly Setting[], plan: PlanDraft): void => {
  renameServer(settings, plan);
  groupBlocks(settings, plan);
};
