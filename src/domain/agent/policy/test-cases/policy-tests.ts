import type { SourcePosition } from '../../../configuration/configuration-problem.js';
import type { Located } from '../../../configuration/schema/schema.js';
import type { PrincipalOptions } from '../gateway-model/gateway-principal.js';
import type { PolicyLink } from '../policy-source/policy-source.js';
import type { VerdictRules } from '../policy-verdict.js';
import type { RequestSketch } from './request-sketch.js';

/** One request and its expected decision. */
export interface PolicyTestCase {
  readonly name: string;
  readonly position: SourcePosition | null;
  readonly request: RequestSketch;
  readonly expected: {
    readonly decision: 'allow' | 'deny';
    /** Exactly the policies that must decide; empty if none may. Null accepts any. */
    readonly policies: readonly Located<string>[] | null;
  };
}

/** The content of a policy test file. */
export interface PolicyTests {
  /** Paths of files and folders of policies, at least one. */
  readonly policies: readonly Located<string>[];
  readonly links: readonly PolicyLink[];
  readonly rules: VerdictRules;
  readonly claims: PrincipalOptions;
  /** At least one; names are unique. */
  readonly cases: readonly PolicyTestCase[];
}
