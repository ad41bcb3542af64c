import type { Expression } from '../syntax-tree.js';
import { checkArithmetic, checkNegation } from './check/check-arithmetic.js';
import { checkCall } from './check/check-call.js';
import { checkComparison } from './check/check-comparison.js';
import { checkIn, checkIs } from './check/check-membership.js';
import { checkMethodCall } from './check/check-method-call.js';
import { acceptsKind, checkBools } from './check/check-operands.js';
import type { Operand } from './check/operand.js';
import type { ModelReport } from './model-report.js';
import { entities, type ModelType, plain, setOfType, unknownType, variableTypes } from './model-types.js';
import { impossiblePattern } from './possible/impossible-text.js';
import { unionType } from './type-relations.js';

const bool = plain('bool');

const literalType = (value: (Expression & { readonly kind: 'literal' })['value']): ModelType => {
  if (typeof value === 'string') return plain('string', { constant: value });
  return plain(typeof value === 'boolean' ? 'bool' : 'long', { constant: value });
};

/**
 * Walks a condition: infers the type of each part and reports impossible parts. INVARIANT: the parser bounds the depth.
 */
class ExpressionCheck {
  readonly #report: ModelReport;

  constructor(report: ModelReport) {
    this.#report = report;
  }

  operand(expression: Expression): Operand {
    return { expression, type: this.#typeOf(expression) };
  }

  #operands(expressions: readonly Expression[]): readonly Operand[] {
    return expressions.map((expression) => this.operand(expression));
  }

  #typeOf(expression: Expression): ModelType {
    const report = this.#report;
    switch (expression.kind) {
      case 'literal':
        return literalType(expression.value);
      case 'entity': {
        const type = report.entity(expression.uid, expression.span);
        return type === null ? unknownType : entities([type], expression.uid);
      }
      case 'variable':
        return variableTypes[expression.name];
      case 'if':
        checkBools('"if"', [this.operand(expression.condition)], report);
        return unionType(this.#typeOf(expression.consequent), this.#typeOf(expression.alternative));
      case 'and':
      case 'or':
        checkBools(expression.kind === 'and' ? '"&&"' : '"||"', this.#operands(expression.operands), report);
        return bool;
      case 'not':
        checkBools('"!"', [this.operand(expression.operand)], report);
        return bool;
      case 'negate':
        return checkNegation(this.operand(expression.operand), expression.span, report);
      case 'arithmetic': {
        const terms = expression.terms.map(({ operand }) => operand);
        return checkArithmetic(expression, this.#operands([expression.first, ...terms]), report);
      }
      case 'comparison': {
        const { operator, left, right, span } = expression;
        checkComparison(operator, this.operand(left), this.operand(right), span, report);
        return bool;
      }
      case 'in':
        checkIn(this.operand(expression.left), this.operand(expression.right), expression.span, report);
        return bool;
      case 'is': {
        const { object, entityType, within, span } = expression;
        checkIs(this.operand(object), entityType, within === null ? null : this.operand(within), span, report);
        return bool;
      }
      case 'has': {
        let type = this.#typeOf(expression.object);
        for (const name of expression.path) type = report.attribute(type, name, expression.span);
        return bool;
      }
      case 'like':
        this.#like(expression);
        return bool;
      case 'attribute':
        return report.attribute(this.#typeOf(expression.object), expression.name, expression.span);
      case 'call':
        return checkCall(expression.name, this.#operands(expression.arguments), expression.span, report);
      case 'method': {
        const { name, object, span } = expression;
        return checkMethodCall(name, this.operand(object), this.#operands(expression.arguments), span, report);
      }
      case 'set':
        return this.#set(expression.elements);
      case 'record':
        return {
          kind: 'record',
          name: 'this record',
          attributes: new Map(expression.entries.map(({ name, value }) => [name, this.#typeOf(value)])),
        };
    }
  }

  #like({ object, pattern, span }: Expression & { readonly kind: 'like' }): void {
    const subject = this.operand(object);
    if (!acceptsKind('like', ['string'], subject, span, this.#report)) return;
    const from = subject.type.kind === 'plain' ? subject.type.from : null;
    const impossible = from === null ? null : impossiblePattern(from, pattern);
    if (impossible !== null) this.#report.add(span, impossible.message, impossible.suggestion);
  }

  #set(elements: readonly Expression[]): ModelType {
    const members = elements.map((element) => ({ type: this.#typeOf(element), span: element.span }));
    const [first, ...others] = members.map(({ type }) => type);
    return setOfType(first === undefined ? unknownType : others.reduce(unionType, first), members);
  }
}

/** Reports the impossible parts of a condition, then whether the condition itself is a boolean. */
export const checkCondition = (body: Expression, report: ModelReport): void => {
  checkBools('a condition', [new ExpressionCheck(report).operand(body)], report);
};
