import { escapeAttribute } from '../../xml/escape-xml.js';

/** An element with its attributes, those that are null left out. `content` is markup already. */
export const markup = (
  name: string,
  attributes: Readonly<Record<string, string | null>>,
  ...content: readonly string[]
): string => {
  let tag = name;
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== null) tag += ` ${attribute}="${escapeAttribute(value)}"`;
  }
  const inside = content.join('');
  return inside === '' ? `<${tag}/>` : `<${tag}>${inside}</${name}>`;
};
