/** Parts of a configuration that is right; a test puts its own in the place of one of them. */
const parts = {
  listeners: 'listeners { listener "http" { address "127.0.0.1:8080" } }',
  routes: 'routes { route "api" { matches { path-prefix "/" }; upstream "echo"; agents "auth" } }',
  upstreams: 'upstreams { upstream "echo" { target "127.0.0.1:8081" } }',
  agents: 'agents { agent "auth" { transport "embedded"; config { api-keys "key:alice" } } }',
  more: '',
};

export const configurationText = (own: Partial<typeof parts> = {}): string =>
  Object.values({ ...parts, ...own }).join('\n');

/** With this as the only route; it is meant to be open where it says nothing of agents. */
export const withRoute = (body: string): string => {
  const open = /\bagents\b/.test(body) ? '' : '; agents #null';
  return configurationText({ routes: `routes { route "api" { ${body}${open} } }` });
};
export const withListener = (body: string): string =>
  configurationText({ listeners: `listeners { listener "http" { ${body} } }` });
export const withUpstream = (body: string): string =>
  configurationText({ upstreams: `upstreams { upstream "echo" { ${body} } }` });
export const withAgent = (body: string): string => configurationText({ agents: `agents { agent "auth" { ${body} } }` });
export const withConfig = (body: string): string => withAgent(`transport "embedded"; config { ${body} }`);
