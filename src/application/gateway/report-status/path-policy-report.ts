import type { PathPolicy } from '../../../domain/gateway/configuration/rewrite-schema.js';
import type { PathRewrite } from '../../../domain/gateway/route-transforms/path-rewrite.js';

/** How a route changes the path for its upstream. One kind of keys is present. */
export interface RewriteReport {
  readonly strip_prefix?: string;
  readonly add_prefix?: string;
  /** Pattern and replacement. */
  readonly regex?: readonly [string, string];
  readonly path?: string;
}

/** The policies about paths that differ from the defaults. */
type PathPolicyReport = Readonly<Record<string, boolean | RewriteReport>>;

const rewriteReport = (rewrite: PathRewrite): RewriteReport => {
  switch (rewrite.kind) {
    case 'prefix': {
      const { strip, add } = rewrite;
      return { ...(strip === null ? {} : { strip_prefix: strip }), ...(add === null ? {} : { add_prefix: add }) };
    }
    case 'regex':
      return { regex: [rewrite.pattern, rewrite.replacement] };
    case 'path':
      return { path: rewrite.path };
  }
};

export const pathPolicyReport = ({
  rewrite,
  turnsBack,
  allowEncodedSlash,
  mergeSlashes,
}: PathPolicy): PathPolicyReport => ({
  ...(rewrite === null ? {} : { rewrite: rewriteReport(rewrite) }),
  ...(turnsBack ? {} : { location: false }),
  ...(allowEncodedSlash ? { allow_encoded_slash: true } : {}),
  ...(mergeSlashes ? {} : { merge_slashes: false }),
});
