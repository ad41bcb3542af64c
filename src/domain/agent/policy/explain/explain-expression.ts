import type { AuthorizationRequest } from '../evaluate/authorization-request.js';
import { compileExpression } from '../evaluate/compile-expression.js';
import { type EvaluationError, isError, type Outcome } from '../evaluate/evaluation-error.js';
import type { SourceSpan } from '../source-lines.js';
import { type Expression, type LikePattern, operandsOf, type PolicyDialect } from '../syntax-tree.js';
import type { Finding } from './finding.js';
import { formatValue } from './format-value.js';
import { quotePatternText, quoteText } from './quote-text.js';

const patternText = (pattern: LikePattern): string =>
  `"${pattern.map((piece) => (typeof piece === 'string' ? quotePatternText(piece) : '*')).join('')}"`;

const pathText = (path: readonly string[]): string =>
  path.every((name) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) ? path.join('.') : path.map(quoteText).join('.');

/** The expression with its operands replaced by their values; null for literals, variables and compounds. */
const shownExpression = (expression: Expression, evaluate: (operand: Expression) => Outcome): string | null => {
  const value = (operand: Expression): string => {
    const outcome = evaluate(operand);
    return isError(outcome) ? '(error)' : formatValue(outcome);
  };
  const values = (operands: readonly Expression[]): string => operands.map(value).join(', ');
  switch (expression.kind) {
    case 'not':
      return `!${value(expression.operand)}`;
    case 'negate':
      return `-${value(expression.operand)}`;
    case 'comparison':
      return `${value(expression.left)} ${expression.operator} ${value(expression.right)}`;
    case 'arithmetic':
      return [
        value(expression.first),
        ...expression.terms.map(({ operator, operand }) => `${operator} ${value(operand)}`),
      ].join(' ');
    case 'in':
      return `${value(expression.left)} in ${value(expression.right)}`;
    case 'has':
      return `${value(expression.object)} has ${pathText(expression.path)}`;
    case 'like':
      return `${value(expression.object)} like ${patternText(expression.pattern)}`;
    case 'is':
      return `${value(expression.object)} is ${expression.entityType}${
        expression.within === null ? '' : ` in ${value(expression.within)}`
      }`;
    case 'attribute':
      return /^[A-Za-z_][A-Za-z0-9_]*$/.test(expression.name)
        ? `${value(expression.object)}.${expression.name}`
        : `${value(expression.object)}[${quoteText(expression.name)}]`;
    case 'call':
      return `${expression.name}(${values(expression.arguments)})`;
    case 'method':
      return `${value(expression.object)}.${expression.name}(${values(expression.arguments)})`;
    case 'literal':
    case 'entity':
    case 'variable':
    case 'if':
    case 'and':
    case 'or':
    case 'set':
    case 'record':
      return null;
  }
};

const sameSpan = (left: SourceSpan | null, right: SourceSpan | null): boolean =>
  left?.start === right?.start && left?.end === right?.end;

const sameError = (left: EvaluationError, right: EvaluationError): boolean =>
  left.code === right.code && left.message === right.message && sameSpan(left.span, right.span);

/**
 * Evaluates an expression for a request and finds the parts that decided: for a false `&&` its first false operand, for
 * a false `||` all operands, for a true `||` its first true one, for an error the part that failed. Every value comes
 * from the evaluator. Recurses to the depth of the expression, which the parser bounds.
 */
export const explainExpression = (
  expression: Expression,
  request: AuthorizationRequest,
  dialect: PolicyDialect,
): Finding => {
  const evaluate = (part: Expression): Outcome => compileExpression(part, dialect)(request);

  /** Finds the operand that failed, otherwise the expression itself. Skips operands that were not evaluated. */
  const failure = (part: Expression, error: EvaluationError): Finding => {
    for (const operand of operandsOf(part)) {
      const outcome = evaluate(operand);
      if (isError(outcome) && sameError(outcome, error)) return failure(operand, outcome);
      if ((part.kind === 'or' && outcome === true) || (part.kind === 'and' && outcome === false)) break;
    }
    const shown = shownExpression(part, evaluate);
    return { span: part.span, outcome: error, shown, because: shown === null ? unfit(part, error) : [] };
  };

  /** The operand of the wrong type, if the error is about one. */
  const unfit = (part: Expression, { span }: EvaluationError): readonly Finding[] => {
    const found = operandsOf(part).find((operand) => sameSpan(operand.span, span));
    return found === undefined || isError(evaluate(found)) ? [] : [explain(found)];
  };

  const explain = (part: Expression): Finding => {
    const outcome = evaluate(part);
    if (isError(outcome)) return failure(part, outcome);
    const made = (because: readonly Finding[]): Finding => ({ span: part.span, outcome, shown: null, because });
    switch (part.kind) {
      case 'and':
      case 'or': {
        // One true operand settles `||`, one false operand `&&`. If none does, all operands decided.
        const settling = part.kind === 'or';
        if (outcome !== settling) return made(part.operands.map(explain));
        const settled = part.operands.find((operand) => evaluate(operand) === settling);
        return made(settled === undefined ? [] : [explain(settled)]);
      }
      case 'not':
        return made([explain(part.operand)]);
      case 'if': {
        const taken = evaluate(part.condition) === true ? part.consequent : part.alternative;
        return made([explain(part.condition), explain(taken)]);
      }
      default:
        return { ...made([]), shown: shownExpression(part, evaluate) };
    }
  };

  return explain(expression);
};
