import type { SourcePosition } from '../../../configuration/configuration-problem.js';
import type { Located } from '../../../configuration/schema/schema.js';
import type { PrincipalOptions } from '../gateway-model/gateway-principal.js';
import type { PolicyLink } from '../policy-source/policy-source.js';
import type { VerdictRules } from '../policy-verdict.js';
import type { RequestSketch } from './request-sketch.js';

/** One request, and what is to come of it. */
export interface PolicyTestCase {
  readonly name: string;
  readonly position: SourcePosition | null;
  readonly request: RequestSketch;
  readonly expected: {
    readonly decision: 'allow' | 'deny';
    /** Exactly the policies that are to decide, empty where none is to; null: whichever. */
    readonly policies: readonly Located<string>[] | null;
  };
}

/** What a policy test file says. */
export interface PolicyTests {
  /** Paths of files and folders of policies, at least one. */
  readonly policies: readonly Located<string>[];
  readonly links: readonly PolicyLink[];
  readonly rules: VerdictRules;
  readonly claims: PrincipalOptions;
  /** At least one; no two have one name. */
  readonly cases: readonly PolicyTestCase[];
}
