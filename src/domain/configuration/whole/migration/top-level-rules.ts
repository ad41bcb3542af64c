import type { Setting } from '../../setting/setting.js';
import { currentKeyName } from './current-key-name.js';
import { disabledName } from './disabled-setting.js';
import type { PlanDraft } from './migration-step.js';

/** Blocks that stood at the top, and the block that they stand in now. */
const groups: ReadonlyMap<string, string> = new Map([
  ['listener', 'listeners'],
  ['route', 'routes'],
  ['upstream', 'upstreams'],
  ['agent', 'agents'],
]);

const lineOf = (setting: Setting): number => setting.position?.line ?? 1;

/** `server` was the name of `system`. */
const renameServer = (settings: readonly Setting[], plan: PlanDraft): void => {
  const hasSystem = settings.some(({ name }) => name === 'system');
  const servers = settings.flatMap((setting, index) => (setting.name === 'server' ? [{ setting, index }] : []));
  for (const { setting, index } of servers) {
    if (hasSystem || servers.length > 1) {
      plan.leave(lineOf(setting), '"server" is "system" now, and there is one already: join the two by hand');
    } else {
      plan.add({ kind: 'rename', setting: [index], name: 'system' }, lineOf(setting), '"server" is "system" now');
    }
  }
};

/** A block that holds named ones has no name itself. */
const isNamed = (setting: Setting): boolean => setting.args.length > 0;

const kindOf = ({ name }: Setting): string => currentKeyName(disabledName(name) ?? name);

/** Blocks of the kind of another one that are commented out next to it. */
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

/** Those of one kind that follow one another go into one group: the order of a file is that of its routes. */
const groupBlocks = (settings: readonly Setting[], plan: PlanDraft): void => {
  let run: number[] = [];
  const close = (): void => {
    const first = settings[run.find((index) => disabledName(settings[index]?.name ?? '') === null) ?? -1];
    const block = groups.get(currentKeyName(first?.name ?? ''));
    const count = run.filter((index) => disabledName(settings[index]?.name ?? '') === null).length;
    if (first !== undefined && block !== undefined) {
      const what = count === 1 ? `"${first.name}" stands` : `${count} blocks "${first.name}" stand`;
      plan.add({ kind: 'wrap', settings: run, block }, lineOf(first), `${what} in "${block}" now`);
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

/** What stands at the top of a file in an older form. */
export const planTopLevel = (settings: readonly Setting[], plan: PlanDraft): void => {
  renameServer(settings, plan);
  groupBlocks(settings, plan);
};
