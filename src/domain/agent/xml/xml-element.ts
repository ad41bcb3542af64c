/** An attribute of an element. Declarations of namespaces are none. */
export interface XmlAttribute {
  /** Local name. */
  readonly name: string;
  /** Null: in no namespace, as attributes without a prefix are. */
  readonly namespace: string | null;
  readonly value: string;
}

/** An element with its namespace resolved (Namespaces in XML 1.0). Comments and processing instructions are not in the tree. */
export interface XmlElement {
  /** Local name. */
  readonly name: string;
  readonly namespace: string | null;
  readonly attributes: readonly XmlAttribute[];
  /** Elements and pieces of text, in their order; references are resolved. */
  readonly children: readonly (XmlElement | string)[];
}
