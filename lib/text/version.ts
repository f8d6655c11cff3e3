/** The version of toolwire; a spec holds it against package.json. */
export const version = '0.1.0';
