import type { SourceSpan } from './source-lines.js';
import type { EntityUid, Long } from './values/value.js';

export type PolicyEffect = 'permit' | 'forbid';
export type RequestVariable = 'principal' | 'action' | 'resource' | 'context';
export type SlotName = '?principal' | '?resource';

/** A place in a template's scope that a link fills with an entity. */
export interface Slot {
  readonly kind: 'slot';
  readonly name: SlotName;
}

export type ScopeEntity = EntityUid | Slot;

/** What the scope says of the principal or the resource. */
export type ScopeConstraint =
  | { readonly kind: 'any' }
  | { readonly kind: 'equals'; readonly entity: ScopeEntity }
  | { readonly kind: 'in'; readonly entity: ScopeEntity }
  | { readonly kind: 'is'; readonly entityType: string }
  | { readonly kind: 'is-in'; readonly entityType: string; readonly entity: ScopeEntity };

/** What the scope says of the action. */
export type ActionConstraint =
  | { readonly kind: 'any' }
  | { readonly kind: 'equals'; readonly entity: EntityUid }
  | { readonly kind: 'in'; readonly entities: readonly EntityUid[] };

export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** A piece of a `like` pattern: literal text, or a star that takes any text. INVARIANT: neither touches its like. */
export type LikePattern = readonly (string | { readonly kind: 'any-text' })[];

/** INVARIANT: nesting is bounded by the parser (`policyLimits.depth`), so that a walk over a tree may recurse. */
export type Expression = { readonly span: SourceSpan } & ExpressionForm;

type ExpressionForm =
  | { readonly kind: 'literal'; readonly value: boolean | Long | string }
  | { readonly kind: 'entity'; readonly uid: EntityUid }
  | { readonly kind: 'variable'; readonly name: RequestVariable }
  | {
      readonly kind: 'if';
      readonly condition: Expression;
      readonly consequent: Expression;
      readonly alternative: Expression;
    }
  /** Two operands or more: a chain is one node, so that its length is not depth. */
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] }
  | { readonly kind: 'not' | 'negate'; readonly operand: Expression }
  | {
      readonly kind: 'comparison';
      readonly operator: ComparisonOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  /** `first` and then each term in order, from the left. */
  | {
      readonly kind: 'arithmetic';
      readonly first: Expression;
      readonly terms: readonly { readonly operator: '+' | '-' | '*'; readonly operand: Expression }[];
    }
  | { readonly kind: 'in'; readonly left: Expression; readonly right: Expression }
  /** One name, or several for `has a.b.c`. */
  | { readonly kind: 'has'; readonly object: Expression; readonly path: readonly string[] }
  | { readonly kind: 'like'; readonly object: Expression; readonly pattern: LikePattern }
  | {
      readonly kind: 'is';
      readonly object: Expression;
      readonly entityType: string;
      readonly within: Expression | null;
    }
  | { readonly kind: 'attribute'; readonly object: Expression; readonly name: string }
  /** A function of an extension: `decimal("1.0")`. The parser knows the name, but any number of arguments gets here. */
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Expression[] }
  /** The parser knows the name; a method of an extension can have any number of arguments here, others have theirs. */
  | {
      readonly kind: 'method';
      readonly object: Expression;
      readonly name: string;
      readonly arguments: readonly Expression[];
    }
  | { readonly kind: 'set'; readonly elements: readonly Expression[] }
  | { readonly kind: 'record'; readonly entries: readonly { readonly name: string; readonly value: Expression }[] };

export interface PolicyCondition {
  readonly kind: 'when' | 'unless';
  readonly body: Expression;
  readonly span: SourceSpan;
}

/** A policy, or a template where its scope has slots. */
export interface Policy {
  /** Unique in its set: `policy<n>` by position from 0, until a loader gives it a better one. */
  readonly id: string;
  /** In order; an annotation without a value has the empty text. */
  readonly annotations: ReadonlyMap<string, string>;
  readonly effect: PolicyEffect;
  readonly principal: ScopeConstraint;
  readonly action: ActionConstraint;
  readonly resource: ScopeConstraint;
  readonly conditions: readonly PolicyCondition[];
  /** Empty: a policy. */
  readonly slots: readonly SlotName[];
  readonly span: SourceSpan;
  /** Where each part of the scope is, for messages. */
  readonly scopeSpans: { readonly principal: SourceSpan; readonly action: SourceSpan; readonly resource: SourceSpan };
}

/**
 * `cedar`: the language of the specification and nothing else. `extended`: with `startsWith`, `endsWith` and
 * `contains` on strings.
 */
export type PolicyDialect = 'cedar' | 'extended';

/** The expressions that an expression is made of; none for a literal, an entity or a variable. */
export const operandsOf = (expression: Expression): readonly Expression[] => {
  switch (expression.kind) {
    case 'literal':
    case 'entity':
    case 'variable':
      return [];
    case 'if':
      return [expression.condition, expression.consequent, expression.alternative];
    case 'and':
    case 'or':
      return expression.operands;
    case 'not':
    case 'negate':
      return [expression.operand];
    case 'comparison':
    case 'in':
      return [expression.left, expression.right];
    case 'arithmetic':
      return [expression.first, ...expression.terms.map(({ operand }) => operand)];
    case 'has':
    case 'like':
    case 'attribute':
      return [expression.object];
    case 'is':
      return expression.within === null ? [expression.object] : [expression.object, expression.within];
    case 'call':
      return expression.arguments;
    case 'method':
      return [expression.object, ...expression.arguments];
    case 'set':
      return expression.elements;
    case 'record':
      return expression.entries.map(({ value }) => value);
  }
};
