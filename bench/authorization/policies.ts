/** One set of policies and requests that some of them allow. */
export interface PolicyScenario {
  readonly name: string;
  readonly describes: string;
  policies(count: number): string;
  readonly requests: readonly BenchRequest[];
}

export interface BenchRequest {
  readonly principal: string;
  readonly roles: readonly string[];
  readonly method: string;
  readonly path: string;
  /** What the policies say, for every count: asserted on each decision. */
  readonly decision: 'allow' | 'deny';
}

/** An engine with policies in it: decides one of the requests. */
export type Decide = (request: BenchRequest) => 'allow' | 'deny';

const team = (index: number): string => `team-${index}`;

/**
 * Policies about the teams' own paths, and three about everyone. The teams of the requests are among the first three.
 */
const general = `
@id("readers")
permit (principal, action in [Action::"GET", Action::"HEAD"], resource)
when { context.roles.contains("reader") && resource.path like "/docs/*" };
@id("admins")
permit (principal in Role::"admin", action, resource);
@id("no-writes-from-outside")
forbid (principal, action == Action::"DELETE", resource)
unless { context.client_ip.isInRange(ip("10.0.0.0/8")) };
`;

const requests: readonly BenchRequest[] = [
  { principal: 'alice', roles: ['reader'], method: 'GET', path: '/docs/guide/start', decision: 'allow' },
  { principal: 'bob', roles: ['admin', 'reader'], method: 'POST', path: '/settings', decision: 'allow' },
  { principal: 'carol', roles: [], method: 'GET', path: '/docs/guide/start', decision: 'deny' },
  { principal: 'dave', roles: ['admin'], method: 'DELETE', path: '/docs/guide/start', decision: 'deny' },
];

const repeated = (count: number, policy: (index: number) => string): string =>
  [general, ...Array.from({ length: Math.max(0, count - 3) }, (_, index) => policy(index))].join('\n');

export const scenarios: readonly PolicyScenario[] = [
  {
    name: 'scoped',
    describes: 'one policy per role, with the role in the scope',
    policies: (count) =>
      repeated(
        count,
        (index) => `@id("${team(index)}")
permit (principal in Role::"${team(index)}", action in [Action::"GET", Action::"PUT"], resource)
when { resource.path like "/teams/${team(index)}/*" };`,
      ),
    requests,
  },
  {
    name: 'conditions',
    describes: 'one policy per role, with the role in the condition',
    policies: (count) =>
      repeated(
        count,
        (index) => `@id("${team(index)}")
permit (principal, action, resource)
when { context.roles.contains("${team(index)}") && resource.path like "/teams/${team(index)}/*" };`,
      ),
    requests,
  },
];
