import type { ConfigurationProblem } from '../../../configuration/configuration-problem.js';
import { quotedName } from '../shortened-text.js';
import type { SourceSpan } from '../source-span.js';
import type { Policy } from '../syntax-tree.js';
import type { PolicyText } from './policy-text.js';

/** UTF-16 code units of an id, at the most: it is in every line of the log that it decides. */
export const maximumPolicyIdLength = 128;

/** Controls, formats such as the marks that turn the direction of text, halves of surrogate pairs, line separators. */
const hidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Why a text can be no id, or null. */
export const unfitId = (id: string): string | null => {
  if (id === '') return 'the id of a policy must not be empty';
  if (id.length > maximumPolicyIdLength) {
    return `the id of a policy must not have more than ${maximumPolicyIdLength} characters`;
  }
  return hidden.test(id)
    ? 'the id of a policy must not have control characters, line breaks or characters that cannot be seen'
    : null;
};

/** A policy and the text that it is from. */
export interface PlacedPolicy {
  readonly policy: Policy;
  readonly text: PolicyText;
}

/** Gives policies their ids, and sees that no two have the same. */
export class PolicyNames {
  readonly #places = new Map<string, { readonly text: PolicyText; readonly span: SourceSpan } | null>();

  /** Where the id is taken, in words; null: it is free, and taken from now on. */
  take(id: string, place: { readonly text: PolicyText; readonly span: SourceSpan } | null): string | null {
    const taken = this.#places.get(id);
    if (taken === undefined) {
      this.#places.set(id, place);
      return null;
    }
    return taken === null ? 'by another template-link' : `at ${taken.text.placeOf(taken.span)}`;
  }

  /** The policy under its id: the one that `@id` gives it, or the number of its place. */
  name(
    policy: Policy,
    text: PolicyText,
    numbered: string,
  ): { readonly placed: PlacedPolicy; readonly problem: ConfigurationProblem | null } {
    const { span, annotations } = policy;
    const given = annotations.get('id');
    const id = given ?? numbered;
    const placed = { policy: { ...policy, id }, text };
    const problem = (message: string, suggestion: string | null) => ({
      placed,
      problem: text.problemAt(span, { severity: 'error', message, suggestion }),
    });
    const unfit = given === undefined ? null : unfitId(given);
    if (unfit !== null) return problem(unfit, 'write it as @id("readers-read")');
    const taken = this.take(id, { text, span });
    if (taken === null) return { placed, problem: null };
    return problem(`the policy id ${quotedName(id)} is already taken ${taken}`, 'give each policy an @id of its own');
  }
}
