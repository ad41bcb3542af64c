import type {
  ActionConstraint,
  Expression,
  LikePattern,
  Policy,
  ScopeConstraint,
  ScopeEntity,
} from '../../../src/domain/agent/policy/syntax-tree.js';
import type { EntityUid } from '../../../src/domain/agent/policy/values/value.js';

type Json = unknown;

const uidJson = ({ type, id }: EntityUid): Json => ({ type, id });

/** Cedar writes one literal a character and every star; here text that touches is one, and so are stars. */
const joinedPattern = (pieces: readonly unknown[]): Json => {
  const joined: ('Wildcard' | { Literal: string })[] = [];
  for (const piece of pieces as readonly ('Wildcard' | { Literal: string })[]) {
    const last = joined.at(-1);
    if (piece === 'Wildcard') {
      if (last !== 'Wildcard') joined.push(piece);
    } else if (typeof last === 'object') {
      last.Literal += piece.Literal;
    } else {
      joined.push({ Literal: piece.Literal });
    }
  }
  return joined;
};

const patternJson = (pattern: LikePattern): Json =>
  joinedPattern(pattern.map((piece) => (typeof piece === 'string' ? { Literal: piece } : 'Wildcard')));

const leftAssociated = (name: string, operands: readonly Json[]): Json =>
  operands.slice(1).reduce((left, right) => ({ [name]: { left, right } }), operands[0]);

/** Apart, for an object with this property in its literal looks like a promise to the linter. */
const consequentKey = 'then';

const ownMethods: ReadonlySet<string> = new Set(['contains', 'containsAll', 'containsAny', 'getTag', 'hasTag']);

const methodJson = (expression: Extract<Expression, { kind: 'method' }>): Json => {
  const object = expressionJson(expression.object);
  const given = expression.arguments.map(expressionJson);
  if (ownMethods.has(expression.name)) return { [expression.name]: { left: object, right: given[0] } };
  if (expression.name === 'isEmpty') return { isEmpty: { arg: object } };
  return { [expression.name]: [object, ...given] };
};

const expressionJson = (expression: Expression): Json => {
  switch (expression.kind) {
    case 'literal':
      return { Value: typeof expression.value === 'bigint' ? Number(expression.value) : expression.value };
    case 'entity':
      return { Value: { __entity: uidJson(expression.uid) } };
    case 'variable':
      return { Var: expression.name };
    case 'if': {
      const parts = { if: expression.condition, [consequentKey]: expression.consequent, else: expression.alternative };
      const written = Object.entries(parts).map(([name, part]) => [name, expressionJson(part)]);
      return { 'if-then-else': Object.fromEntries(written) };
    }
    case 'and':
      return leftAssociated('&&', expression.operands.map(expressionJson));
    case 'or':
      return leftAssociated('||', expression.operands.map(expressionJson));
    case 'not':
      return { '!': { arg: expressionJson(expression.operand) } };
    case 'negate':
      return { neg: { arg: expressionJson(expression.operand) } };
    case 'comparison':
      return leftAssociated(expression.operator, [expressionJson(expression.left), expressionJson(expression.right)]);
    case 'arithmetic':
      return expression.terms.reduce(
        (left: Json, { operator, operand }) => ({ [operator]: { left, right: expressionJson(operand) } }),
        expressionJson(expression.first),
      );
    case 'in':
      return leftAssociated('in', [expressionJson(expression.left), expressionJson(expression.right)]);
    case 'has': {
      const attr = expression.path.length === 1 ? expression.path[0] : expression.path;
      return { has: { left: expressionJson(expression.object), attr } };
    }
    case 'like':
      return { like: { left: expressionJson(expression.object), pattern: patternJson(expression.pattern) } };
    case 'is': {
      const within = expression.within === null ? {} : { in: expressionJson(expression.within) };
      return { is: { left: expressionJson(expression.object), entity_type: expression.entityType, ...within } };
    }
    case 'attribute':
      return { '.': { left: expressionJson(expression.object), attr: expression.name } };
    case 'call':
      return { [expression.name]: expression.arguments.map(expressionJson) };
    case 'method':
      return methodJson(expression);
    case 'set':
      return { Set: expression.elements.map(expressionJson) };
    case 'record':
      return { Record: Object.fromEntries(expression.entries.map(({ name, value }) => [name, expressionJson(value)])) };
  }
};

const entityJson = (entity: ScopeEntity): object =>
  entity.kind === 'slot' ? { slot: entity.name } : { entity: uidJson(entity) };

const scopeJson = (constraint: ScopeConstraint): Json => {
  switch (constraint.kind) {
    case 'any':
      return { op: 'All' };
    case 'equals':
      return { op: '==', ...entityJson(constraint.entity) };
    case 'in':
      return { op: 'in', ...entityJson(constraint.entity) };
    case 'is':
      return { op: 'is', entity_type: constraint.entityType };
    case 'is-in':
      return { op: 'is', entity_type: constraint.entityType, in: entityJson(constraint.entity) };
  }
};

const actionJson = (constraint: ActionConstraint): Json => {
  if (constraint.kind === 'any') return { op: 'All' };
  if (constraint.kind === 'equals') return { op: '==', entity: uidJson(constraint.entity) };
  return { op: 'in', entities: constraint.entities.map(uidJson) };
};

/** A policy in Cedar's own JSON form, to be compared with what `normalizedCedarJson` makes of Cedar's. */
export const policyAsCedarJson = (policy: Policy): Json => ({
  effect: policy.effect,
  principal: scopeJson(policy.principal),
  action: actionJson(policy.action),
  resource: scopeJson(policy.resource),
  conditions: policy.conditions.map(({ kind, body }) => ({ kind, body: expressionJson(body) })),
  annotations: Object.fromEntries(policy.annotations),
});

const normalized = (value: unknown): Json => {
  if (Array.isArray(value)) return value.map(normalized);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, part]): [string, Json] => {
    const isPattern = name === 'pattern' && Array.isArray(part);
    return [name, isPattern ? joinedPattern(part) : normalized(part)];
  });
  return Object.fromEntries(entries);
};

/** Cedar's JSON of a policy, with what can be written in several ways written in one. */
export const normalizedCedarJson = (json: object): Json => {
  const { action, annotations = {}, ...rest } = json as { action: Record<string, unknown>; annotations?: object };
  const isSingle = action['op'] === 'in' && 'entity' in action;
  return {
    ...(normalized(rest) as object),
    action: isSingle ? { op: 'in', entities: [action['entity']] } : action,
    annotations: Object.fromEntries(Object.entries(annotations).map(([name, value]) => [name, value ?? ''])),
  };
};
