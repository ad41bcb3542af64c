import type { Setting } from '../../setting/setting.js';
import { planFlatRoutes } from './flat-routes.js';
import { planForeignAgents } from './foreign-agents.js';
import { planForeignKeys } from './foreign-keys.js';
import { planForeignRoutes } from './foreign-routes.js';
import { type MigrationNote, type MigrationPlan, PlanDraft } from './migration-step.js';
import { planObservability } from './observability-block.js';
import { planRemovedKeys } from './removed-keys.js';
import { planSpelling } from './spelling-rules.js';
import { planTopLevel } from './top-level-rules.js';
import { planUpstreamTimeouts } from './upstream-timeouts.js';

const byLine = (notes: readonly MigrationNote[]): readonly MigrationNote[] =>
  notes.toSorted((left, right) => left.line - right.line);

/**
 * What has to change in one file for it to be written as files are now. Empty for a file that is up to date.
 *
 * @param settings of the file alone, without those of files that it includes
 */
export const planMigration = (settings: readonly Setting[]): MigrationPlan => {
  const plan = new PlanDraft();
  // A block is filled before it is moved itself, and a key is renamed last: each rule finds what it looks for.
  planUpstreamTimeouts(settings, plan);
  planFlatRoutes(settings, plan);
  planSpelling(settings, plan);
  planRemovedKeys(settings, plan);
  planForeignKeys(settings, plan);
  planForeignAgents(settings, plan);
  planForeignRoutes(settings, plan);
  planObservability(settings, plan);
  planTopLevel(settings, plan);
  return { steps: plan.steps, changes: byLine(plan.changes), left: byLine(plan.left) };
};
