/** SAML bindings, section 3.4. */
export const redirectBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';
/** SAML bindings, section 3.5. */
export const postBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
