import { configurationError, type ImageSource, type JsonObject, type MessagesDialect } from '@vouch/contracts';

const mediaTypes: ReadonlySet<string> = /* @__PURE__ */ new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** The block of an image. Throws a configuration failure for a kind of image, or of address, that the endpoint does not take. */
export function imageBlock(source: ImageSource, { imageUrls }: Pick<MessagesDialect, 'imageUrls'>): JsonObject {
  const given = source.type === 'url' ? (ofDataUrl(source.url) ?? source) : source;
  if (given.type === 'base64') {
    if (!mediaTypes.has(given.mediaType)) refuse(`an image of the type "${given.mediaType.slice(0, 40)}". Give PNG, JPEG, GIF or WebP.`);
    return { type: 'image', source: { type: 'base64', media_type: given.mediaType, data: given.data } };
  }
  if (!imageUrls) refuse('images by address. Give the bytes.');
  return { type: 'image', source: { type: 'url', url: given.url } };
}

const refuse = (what: string): never => {
  throw configurationError('E_CONFIGURATION', `The endpoint does not take ${what}`);
};

/** The bytes of a `data:` address: the wire has a form of its own for them. */
function ofDataUrl(url: string): Extract<ImageSource, { readonly type: 'base64' }> | undefined {
  const comma = url.slice(0, 200).indexOf(',');
  const head = /^data:([^;,]+)(?:;[^;,]+)*;base64$/i.exec(url.slice(0, Math.max(0, comma)));
  return head?.[1] === undefined ? undefined : { type: 'base64', mediaType: head[1].toLowerCase(), data: url.slice(comma + 1) };
}
