import type { Expression } from '../../../src/domain/agent/policy/syntax-tree.js';
import type { Value } from '../../../src/domain/agent/policy/values/value.js';

/**
 * The same expression with each literal in it read from `context.literals` instead, so that no part of it is
 * constant, and the literals.
 */
export const liftLiterals = (
  expression: Expression,
): { readonly lifted: Expression; readonly literals: ReadonlyMap<string, Value> } => {
  const literals = new Map<string, Value>();
  const read = (value: Value, { span }: Expression): Expression => {
    const name = `literal${literals.size}`;
    literals.set(name, value);
    const context: Expression = { kind: 'variable', name: 'context', span };
    return { kind: 'attribute', object: { kind: 'attribute', object: context, name: 'literals', span }, name, span };
  };
  const lift = (part: Expression): Expression => {
    switch (part.kind) {
      case 'literal':
        return read(part.value, part);
      case 'entity':
        return read(part.uid, part);
      case 'variable':
        return part;
      case 'if':
        return {
          ...part,
          condition: lift(part.condition),
          consequent: lift(part.consequent),
          alternative: lift(part.alternative),
        };
      case 'and':
      case 'or':
        return { ...part, operands: part.operands.map(lift) };
      case 'not':
      case 'negate':
        return { ...part, operand: lift(part.operand) };
      case 'comparison':
      case 'in':
        return { ...part, left: lift(part.left), right: lift(part.right) };
      case 'arithmetic':
        return {
          ...part,
          first: lift(part.first),
          terms: part.terms.map((term) => ({ ...term, operand: lift(term.operand) })),
        };
      case 'has':
      case 'like':
      case 'attribute':
        return { ...part, object: lift(part.object) };
      case 'is':
        return { ...part, object: lift(part.object), within: part.within === null ? null : lift(part.within) };
      case 'call':
        return { ...part, arguments: part.arguments.map(lift) };
      case 'method':
        return { ...part, object: lift(part.object), arguments: part.arguments.map(lift) };
      case 'set':
        return { ...part, elements: part.elements.map(lift) };
      case 'record':
        return { ...part, entries: part.entries.map(({ name, value }) => ({ name, value: lift(value) })) };
    }
  };
  return { lifted: lift(expression), literals };
};
