import { hashedAsset } from '../asset.ts';

/** The look of every page. */
export const SITE_STYLE = hashedAsset(new URL('./site.css', import.meta.url), 'site', 'css');
