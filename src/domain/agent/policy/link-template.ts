import { err, ok, type Result } from '../../shared/result.js';
import { abbreviateName } from './abbreviate-text.js';
import type { Policy, ScopeConstraint, SlotName } from './syntax-tree.js';
import type { EntityUid } from './values/value.js';

/** The entities that fill a template's slots. */
export interface TemplateLinkEntities {
  readonly principal?: EntityUid;
  readonly resource?: EntityUid;
}

const filled = (constraint: ScopeConstraint, entity: EntityUid | undefined): ScopeConstraint => {
  if (entity === undefined || constraint.kind === 'any' || constraint.kind === 'is') return constraint;
  return constraint.entity.kind === 'slot' ? { ...constraint, entity } : constraint;
};

/**
 * Creates a policy from a template. Every slot needs an entity. An entity for a slot that the template lacks is an
 * error.
 */
export const linkTemplate = (template: Policy, id: string, entities: TemplateLinkEntities): Result<Policy, string> => {
  if (template.slots.length === 0)
    return err(`${abbreviateName(template.id)} is a policy, not a template: it has no slots to fill`);
  for (const [slot, entity] of [
    ['?principal', entities.principal],
    ['?resource', entities.resource],
  ] as const satisfies readonly (readonly [SlotName, EntityUid | undefined])[]) {
    const has = template.slots.includes(slot);
    if (has && entity === undefined)
      return err(`the template ${abbreviateName(template.id)} needs an entity for ${slot}`);
    if (!has && entity !== undefined) return err(`the template ${abbreviateName(template.id)} has no slot ${slot}`);
  }
  return ok({
    ...template,
    id,
    principal: filled(template.principal, entities.principal),
    resource: filled(template.resource, entities.resource),
    slots: [],
  });
};
