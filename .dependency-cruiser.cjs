/**
 * The laws of the house (ARCHITECTURE.md), one rule each. `npm run laws` checks them; a breach fails the build.
 * test/unit/repository/laws.slow.test.ts breaks each one on purpose and expects a violation.
 */
const adapter = '^src/adapters/(?:inbound|outbound)/([^/]+)/';
const anyAdapter = '^src/adapters/(?:inbound|outbound)/';
const program = '^src/';

/** The folders of a wing, in every layer that has wings. */
const wing = (name) => `^src/(?:domain|application|application/ports|bootstrap)/${name}/`;
const gateway = wing('gateway');
const agent = wing('agent');
/** What looks at both wings. */
const whole = '^src/(?:domain/configuration|application)/whole/';
/** What both wings use. */
const common =
  '^src/(?:domain/(?:shared|http|agent-protocol|configuration)|application/shared|application/ports/shared)/';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'domain-imports-domain-only',
      comment: 'The domain is pure: no package, no Node module, no layer above it. Data in, data out.',
      severity: 'error',
      from: { path: '^src/domain/' },
      to: { pathNot: '^src/domain/' },
    },
    {
      name: 'application-imports-domain-and-itself',
      comment: 'Use cases and ports use domain types; everything outside is a port.',
      severity: 'error',
      from: { path: '^src/application/' },
      to: { pathNot: '^src/(?:domain|application)/' },
    },
    {
      name: 'gateway-knows-no-agent',
      comment: 'A reader of the gateway can ignore the code of the agent. What both need is in a common folder.',
      severity: 'error',
      from: { path: gateway },
      to: { path: agent },
    },
    {
      name: 'agent-knows-no-gateway',
      comment: 'A reader of the agent can ignore the code of the gateway. What both need is in a common folder.',
      severity: 'error',
      from: { path: agent },
      to: { path: gateway },
    },
    {
      name: 'common-folders-know-no-wing',
      comment: 'Both wings use them, so they depend on neither.',
      severity: 'error',
      from: { path: common, pathNot: whole },
      to: { path: [gateway, agent] },
    },
    {
      name: 'whole-is-for-adapters-and-bootstrap',
      comment: 'Code that reads both wings would give each wing a path to the other.',
      severity: 'error',
      from: { path: [gateway, agent, common], pathNot: [whole, '^src/bootstrap/'] },
      to: { path: whole },
    },
    {
      name: 'every-file-has-a-wing',
      comment: 'A file of the domain, the application or the composition belongs to a wing or to a common folder.',
      severity: 'error',
      from: {
        path: '^src/(?:domain|application|bootstrap)/',
        pathNot: [gateway, agent, whole, common, '^src/bootstrap/shared/'],
      },
      to: {},
    },
    {
      name: 'sessions-know-no-sign-on-method',
      comment: 'Sessions, their stores and their sharing serve every way to sign on, so another way adds a folder.',
      severity: 'error',
      from: {
        path: [
          '^src/(?:domain|application)/agent/sessions/',
          '^src/domain/agent/sign-on/',
          '^src/application/agent/share-stores/',
          '^src/adapters/outbound/[^/]+-session-store/',
        ],
      },
      to: { path: ['^src/domain/agent/(?:saml|oidc)/', '^src/application/agent/sign-on/(?:saml|oidc)/'] },
    },
    {
      name: 'wire-codecs-are-pure',
      comment: 'A codec is used on both sides of a wire: bytes and domain types only, no Node module, no package.',
      severity: 'error',
      from: { path: '^src/adapters/wire/' },
      to: { pathNot: '^src/(?:domain|adapters/wire)/' },
    },
    {
      name: 'http1-codec-imports-nothing',
      comment: 'The framing of HTTP/1.1 can be reviewed alone: adapters/wire/http1 depends on nothing in this program.',
      severity: 'error',
      from: { path: '^src/adapters/wire/http1/' },
      to: { pathNot: '^src/adapters/wire/http1/' },
    },
    {
      name: 'http2-codec-imports-nothing',
      comment: 'Like the codec of HTTP/1.1, adapters/wire/http2 depends on nothing in this program.',
      severity: 'error',
      from: { path: '^src/adapters/wire/http2/' },
      to: { pathNot: '^src/adapters/wire/http2/' },
    },
    {
      name: 'http2-sockets-know-the-wire-only',
      comment:
        'Adapters of both sides use this layer between a socket and node:http2, so it depends on no use case and no port.',
      severity: 'error',
      from: { path: '^src/adapters/http2-sockets/' },
      to: { path: program, pathNot: '^src/(?:domain|adapters/(?:wire|http2-sockets|event-loop-batching))/' },
    },
    {
      name: 'event-loop-batching-knows-nothing',
      comment: 'Adapters of both sides share it, so it depends on none of them.',
      severity: 'error',
      from: { path: '^src/adapters/event-loop-batching/' },
      to: { path: program, pathNot: '^src/adapters/event-loop-batching/' },
    },
    {
      name: 'command-line-knows-no-command',
      comment: 'Every command of both programs uses it, so it depends on no command.',
      severity: 'error',
      from: { path: '^src/adapters/command-line/' },
      to: { path: program, pathNot: '^src/(?:domain|adapters/command-line)/' },
    },
    {
      name: 'stream-sockets-know-no-protocol',
      comment: 'Both sides of HTTP/1.1 use them. They handle descriptors and octets, not HTTP.',
      severity: 'error',
      from: { path: '^src/adapters/stream-sockets/' },
      to: {
        path: program,
        pathNot: '^src/(?:domain|application/ports|adapters/(?:stream-sockets|event-loop-batching))/',
      },
    },
    {
      name: 'tls-sockets-know-no-protocol',
      comment:
        'Listeners, upstream clients and health probes use them. They handle certificates and sockets, not HTTP.',
      severity: 'error',
      from: { path: '^src/adapters/tls-sockets/' },
      to: { path: program, pathNot: '^src/(?:domain|application/ports|adapters/(?:tls-sockets|stream-sockets))/' },
    },
    {
      name: 'redis-knows-no-store',
      comment: 'Every store in Redis uses this connection, so it depends on no store.',
      severity: 'error',
      from: { path: '^src/adapters/redis/' },
      to: { path: program, pathNot: '^src/(?:domain|application/ports|adapters/redis)/' },
    },
    {
      name: 'inbound-adapters-call-the-application',
      comment: 'An inbound adapter calls use cases and ports; it may use domain types, codecs and its own folder.',
      severity: 'error',
      from: { path: '^src/adapters/inbound/' },
      to: { path: program, pathNot: '^src/(?:domain|application|adapters)/' },
    },
    {
      name: 'outbound-adapters-know-ports-only',
      comment: 'An outbound adapter implements a port and calls no use case.',
      severity: 'error',
      from: { path: '^src/adapters/outbound/' },
      to: { path: program, pathNot: '^src/(?:domain|application/ports|adapters)/' },
    },
    {
      name: 'no-adapter-imports-another',
      comment: 'Each adapter can be removed or replaced with its folder.',
      severity: 'error',
      from: { path: adapter },
      to: { path: anyAdapter, pathNot: '^src/adapters/(?:inbound|outbound)/$1/' },
    },
    {
      name: 'adapters-live-in-folders',
      comment: 'Each technology has a folder; a file beside the folders belongs to none.',
      severity: 'error',
      from: { path: ['^src/adapters/[^/]+[.]ts$', '^src/adapters/(?:inbound|outbound)/[^/]+[.]ts$'] },
      to: {},
    },
    {
      name: 'inversify-in-bootstrap-only',
      comment: 'Only bootstrap uses the container; other code gets its dependencies as arguments.',
      severity: 'error',
      from: { path: program, pathNot: '^src/bootstrap/' },
      to: { path: 'node_modules/(?:inversify|@inversifyjs)/' },
    },
    {
      name: 'reflect-metadata-is-not-imported',
      comment: 'It is installed only as a peer of inversify; this program has no decorators.',
      severity: 'error',
      from: {},
      to: { path: 'node_modules/reflect-metadata/' },
    },
    {
      name: 'nothing-imports-bootstrap',
      comment: 'The composition depends on everything, so nothing may depend on it.',
      severity: 'error',
      from: { path: program, pathNot: '^src/bootstrap/' },
      to: { path: '^src/bootstrap/' },
    },
    {
      name: 'nothing-imports-test',
      comment: 'Tests import the program; the program, its benchmarks and its scripts never import tests.',
      severity: 'error',
      from: { pathNot: '^test/' },
      to: { path: '^test/' },
    },
    {
      name: 'no-cycles',
      comment: 'Merge two files that import each other, or extract what both need. Type imports count.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-orphans',
      comment: 'Delete a file that imports nothing and that nothing imports.',
      severity: 'error',
      from: { orphan: true, path: '^(?:src|test/support|bench|fuzz)/' },
      to: {},
    },
    {
      name: 'no-unreachable-files',
      comment:
        'Every file of the program is reachable from a main or from the entry point of the agent kit. Code for tests alone is in test/support.',
      severity: 'error',
      from: { path: '^src/bootstrap/[^/]+/(?:main-[^/]+|agent)\\.ts$' },
      to: {
        path: program,
        pathNot: '^src/bootstrap/[^/]+/(?:main-[^/]+|agent)\\.ts$',
        reachable: false,
      },
    },
    {
      name: 'program-uses-no-development-package',
      comment: 'The program imports only "dependencies": an installed package has no others.',
      severity: 'error',
      from: { path: program },
      to: { dependencyTypes: ['npm-dev', 'npm-optional', 'npm-peer'], dependencyTypesNot: ['npm'], pathNot: '@types/' },
    },
    {
      name: 'packages-are-declared',
      comment: 'Declare every imported package: a transitive one may disappear.',
      severity: 'error',
      from: {},
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'imports-resolve',
      comment: 'An import that does not resolve fails at start, and no other law sees it.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(?:^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
