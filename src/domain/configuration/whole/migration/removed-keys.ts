import type { Setting } from '../../setting/setting.js';
import { blockMembers } from './block-members.js';
import { currentKeyName } from './current-key-name.js';
import type { PlanDraft } from './migration-step.js';

/** Removes `http-engine` of `system`, formerly `server`. */
export const planRemovedKeys = (settings: readonly Setting[], plan: PlanDraft): void => {
  settings.forEach((block, index) => {
    if (!['system', 'server'].includes(currentKeyName(block.name))) return;
    for (const { name, reference, line } of blockMembers(block)) {
      if (name !== 'http-engine') continue;
      plan.add(
        { kind: 'remove', parent: [index], member: reference },
        line,
        '"http-engine" is removed: the gateway has one HTTP engine',
      );
    }
  });
};
