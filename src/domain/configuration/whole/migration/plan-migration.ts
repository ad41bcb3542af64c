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
 * Plans the changes that bring one file to the current form. The plan of a current file is empty.
 *
 * @param settings those of the file itself, without included files
 */
export const planMigration = (settings: readonly Setting[]): MigrationPlan => {
  const plan = new PlanDraft();
  // Order matters: blocks are filled before they move, and keys are renamed last.
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
