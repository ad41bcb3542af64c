import type { Span } from '../source-span.js';
import type { Expression } from '../syntax-tree.js';
import type { ModelReport } from './model-report.js';
import {
  entities,
  type ModelEntityType,
  type ModelType,
  type PlainTypeName,
  plain,
  unknown,
  variableTypes,
} from './model-types.js';

const callTypes: Readonly<Record<string, ModelType>> = {
  decimal: plain('decimal'),
  ip: plain('ipaddr'),
  datetime: plain('datetime'),
  duration: plain('duration'),
};

/** What comes before the dot of a method. */
const receivers: ReadonlyMap<string, readonly PlainTypeName[]> = new Map<string, readonly PlainTypeName[]>([
  ['contains', ['set', 'set of strings', 'string']],
  ['containsAll', ['set', 'set of strings']],
  ['containsAny', ['set', 'set of strings']],
  ['isEmpty', ['set', 'set of strings']],
  ['startsWith', ['string']],
  ['endsWith', ['string']],
  ['isIpv4', ['ipaddr']],
  ['isIpv6', ['ipaddr']],
  ['isLoopback', ['ipaddr']],
  ['isMulticast', ['ipaddr']],
  ['isInRange', ['ipaddr']],
]);

const roleHint = 'ask for a role with principal.roles.contains("admin") or principal in Role::"admin"';
const addressHint = 'ask for addresses with context.client_ip.isInRange(ip("10.0.0.0/8"))';

/** What to write where a value of that type is in the way of an operation. */
const hintFor = (operation: string, type: string, wanted: string): string => {
  if (type === 'ipaddr') return addressHint;
  if (type === 'set of strings') return roleHint;
  if (type === 'string' && operation === 'in') return 'ask for one of several texts with ["GET", "HEAD"].contains(...)';
  return `only a value of type ${wanted} can be before it`;
};

const nameOf = (type: ModelType): string | null => {
  if (type.kind === 'plain' || type.kind === 'record') return type.kind === 'plain' ? type.name : 'record';
  return type.kind === 'entities' ? 'entity' : null;
};

const either = (left: ModelType, right: ModelType): ModelType => {
  if (left.kind === 'entities' && right.kind === 'entities') {
    return entities(...new Set([...left.types, ...right.types]));
  }
  return left.kind === 'plain' && right.kind === 'plain' && left.name === right.name ? left : unknown;
};

/** Walks a condition: what each part can come to, and what in it can never be. INVARIANT: the parser bounds the depth. */
class ExpressionCheck {
  readonly #report: ModelReport;

  constructor(report: ModelReport) {
    this.#report = report;
  }

  typeOf(expression: Expression): ModelType {
    switch (expression.kind) {
      case 'literal':
        return typeof expression.value === 'string'
          ? plain('string')
          : plain(typeof expression.value === 'boolean' ? 'bool' : 'long');
      case 'entity': {
        const type = this.#report.entity(expression.uid, expression.span);
        return type === null ? unknown : entities(type);
      }
      case 'variable':
        return variableTypes[expression.name];
      case 'if':
        this.typeOf(expression.condition);
        return either(this.typeOf(expression.consequent), this.typeOf(expression.alternative));
      case 'and':
      case 'or':
        return this.#all(expression.operands, plain('bool'));
      case 'not':
      case 'negate':
        return this.#all([expression.operand], plain(expression.kind === 'not' ? 'bool' : 'long'));
      case 'arithmetic':
        return this.#all([expression.first, ...expression.terms.map(({ operand }) => operand)], plain('long'));
      case 'comparison':
        return this.#comparison(expression);
      case 'in':
        return this.#in(expression);
      case 'is':
        return this.#is(expression);
      case 'has': {
        let type = this.typeOf(expression.object);
        for (const name of expression.path) type = this.#report.attribute(type, name, expression.span);
        return plain('bool');
      }
      case 'like':
        this.#takes('like', ['string'], expression.object, expression.span);
        return plain('bool');
      case 'attribute':
        return this.#report.attribute(this.typeOf(expression.object), expression.name, expression.span);
      case 'call':
        return this.#all(expression.arguments, callTypes[expression.name] ?? unknown);
      case 'method':
        return this.#method(expression);
      case 'set':
        return this.#all(expression.elements, plain('set'));
      case 'record':
        return {
          kind: 'record',
          name: 'this record',
          attributes: new Map(expression.entries.map(({ name, value }) => [name, this.typeOf(value)])),
        };
    }
  }

  #all(operands: readonly Expression[], type: ModelType): ModelType {
    for (const operand of operands) this.typeOf(operand);
    return type;
  }

  /** The type of what is before the operation, which has to be one of those; null, and a finding, where it is not. */
  #takes(operation: string, accepted: readonly string[], object: Expression, span: Span): ModelType | null {
    const type = this.typeOf(object);
    const name = nameOf(type);
    if (name === null || accepted.includes(name)) return type;
    const wanted = accepted.filter((one) => one !== 'set of strings').join(' or ');
    const message = `"${operation}" takes a value of type ${wanted}, and this is of type ${name}`;
    this.#report.add(span, message, hintFor(operation, name, wanted));
    return null;
  }

  #comparison({ operator, left, right, span }: Expression & { readonly kind: 'comparison' }): ModelType {
    const [first, second] = [this.typeOf(left), this.typeOf(right)];
    const equality = operator === '==' || operator === '!=';
    if (equality && first.kind === 'entities' && second.kind === 'entities') {
      const literalFirst = left.kind === 'entity';
      const [subject, target] = literalFirst ? [second.types, first.types] : [first.types, second.types];
      const [only] = target;
      const disjoint = !target.some((type) => subject.includes(type));
      if (disjoint && only !== undefined) this.#report.same(subject, only, span);
    }
    return plain('bool');
  }

  #in({ left, right, span }: Expression & { readonly kind: 'in' }): ModelType {
    const subject = this.#takes('in', ['entity'], left, span);
    if (subject === null) this.typeOf(right);
    else this.#within(subject.kind === 'entities' ? subject.types : null, right, span);
    return plain('bool');
  }

  #is({ object, entityType, within, span }: Expression & { readonly kind: 'is' }): ModelType {
    const subject = this.typeOf(object);
    const type = this.#report.entityType(entityType, span);
    if (subject.kind === 'entities' && type !== null) this.#report.same(subject.types, type, span);
    if (within !== null) this.#within(type === null ? null : [type], within, within.span);
    return plain('bool');
  }

  /** @param subject null: not known */
  #within(subject: readonly ModelEntityType[] | null, right: Expression, span: Span): void {
    if (right.kind === 'set') for (const element of right.elements) this.#withinOne(subject, element, element.span);
    else this.#withinOne(subject, right, span);
  }

  #withinOne(subject: readonly ModelEntityType[] | null, right: Expression, span: Span): void {
    const type = this.typeOf(right);
    const name = nameOf(type);
    if (type.kind === 'entities') {
      const [target] = type.types;
      if (subject !== null && target !== undefined && type.types.length === 1)
        this.#report.within(subject, target, span);
    } else if (name !== null && name !== 'set') {
      const suggestion = name === 'set of strings' ? roleHint : 'write an entity, such as Role::"admin"';
      this.#report.add(span, `nothing is "in" a value of type ${name}, only in entities`, suggestion);
    }
  }

  #method({ object, name, arguments: operands, span }: Expression & { readonly kind: 'method' }): ModelType {
    const accepted = receivers.get(name);
    if (accepted === undefined) this.typeOf(object);
    else this.#takes(name, accepted, object, span);
    for (const operand of operands) {
      const type = nameOf(this.typeOf(operand));
      if (name === 'isInRange' && type !== null && type !== 'ipaddr') {
        this.#report.add(
          operand.span,
          `"isInRange" takes a range of addresses, and this is of type ${type}`,
          addressHint,
        );
      }
    }
    if (name === 'getTag' || name === 'hasTag') {
      this.#report.add(span, 'no entity has tags', 'what a token says is in principal.claims');
    }
    return unknown;
  }
}

/** Adds to the report what in a condition can never be. */
export const checkExpression = (expression: Expression, report: ModelReport): void => {
  new ExpressionCheck(report).typeOf(expression);
};
