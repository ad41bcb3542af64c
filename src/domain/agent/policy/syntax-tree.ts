import type { SourceSpan } from './source-lines.js';
import type { EntityUid, Long } from './values/value.js';

export type PolicyEffect = 'permit' | 'forbid';
export type RequestVariable = 'principal' | 'action' | 'resource' | 'context';
export type SlotName = '?principal' | '?resource';

/** A placeholder in a template's scope. A template link replaces it with an entity. */
export interface Slot {
  readonly kind: 'slot';
  readonly name: SlotName;
}

export type ScopeEntity = EntityUid | Slot;

/** The scope constraint on the principal or the resource. */
export type ScopeConstraint =
  | { readonly kind: 'any' }
  | { readonly kind: 'equals'; readonly entity: ScopeEntity }
  | { readonly kind: 'in'; readonly entity: ScopeEntity }
  | { readonly kind: 'is'; readonly entityType: string }
  | { readonly kind: 'is-in'; readonly entityType: string; readonly entity: ScopeEntity };

/** The scope constraint on the action. */
export type ActionConstraint =
  | { readonly kind: 'any' }
  | { readonly kind: 'equals'; readonly entity: EntityUid }
  | { readonly kind: 'in'; readonly entities: readonly EntityUid[] };

export type ComparisonOperator = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** A `like` pattern: literal texts and stars, which match any text. INVARIANT: the two kinds alternate. */
export type LikePattern = readonly (string | { readonly kind: 'any-text' })[];

/** INVARIANT: the parser bounds nesting (`policyLimits.depth`), so a walk over a tree may recurse. */
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
  /** Two or more operands. A chain is one node, so its length does not add depth. */
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expression[] }
  | { readonly kind: 'not' | 'negate'; readonly operand: Expression }
  | {
      readonly kind: 'comparison';
      readonly operator: ComparisonOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  /** Starts with `first` and applies each term in order, left-associative. */
  | {
      readonly kind: 'arithmetic';
      readonly first: Expression;
      readonly terms: readonly { readonly operator: '+' | '-' | '*'; readonly operand: Expression }[];
    }
  | { readonly kind: 'in'; readonly left: Expression; readonly right: Expression }
  /** `path` has one name, or several for `has a.b.c`. */
  | { readonly kind: 'has'; readonly object: Expression; readonly path: readonly string[] }
  | { readonly kind: 'like'; readonly object: Expression; readonly pattern: LikePattern }
  | {
      readonly kind: 'is';
      readonly object: Expression;
      readonly entityType: string;
      readonly within: Expression | null;
    }
  | { readonly kind: 'attribute'; readonly object: Expression; readonly name: string }
  /** An extension function: `decimal("1.0")`. The parser checks the name, but not the number of arguments. */
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Expression[] }
  /** The parser checks the name. It checks the number of arguments of Cedar's own methods, not of extension methods. */
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

/** A policy, or a template if its scope has slots. */
export interface Policy {
  /** Unique in its set. The parser assigns `policy<n>`, counted from 0; a loader may replace it. */
  readonly id: string;
  /** In source order. An annotation without a value maps to the empty string. */
  readonly annotations: ReadonlyMap<string, string>;
  readonly effect: PolicyEffect;
  readonly principal: ScopeConstraint;
  readonly action: ActionConstraint;
  readonly resource: ScopeConstraint;
  readonly conditions: readonly PolicyCondition[];
  /** Empty for a policy. */
  readonly slots: readonly SlotName[];
  readonly span: SourceSpan;
  /** The positions of the scope's parts, for messages. */
  readonly scopeSpans: { readonly principal: SourceSpan; readonly action: SourceSpan; readonly resource: SourceSpan };
}

/**
 * `cedar`: exactly the language of the specification. `extended`: adds `startsWith`, `endsWith` and `contains` on
 * strings.
 */
export type PolicyDialect = 'cedar' | 'extended';

/** The direct subexpressions; none for a literal, an entity or a variable. */
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
