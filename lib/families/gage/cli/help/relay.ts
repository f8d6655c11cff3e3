/** The help of `gage relay serve`. */
export const relayHelp = `Usage: gage relay serve (--dir DIR | --bucket URL) [options]

Runs a relay: it takes sealed messages for mailboxes and gives them to whoever signs with the mailbox's key. It sees sizes,
times and addresses, and neither senders' keys nor what they sent. Prints one JSON line with its origin, then logs to stderr,
without keys and addresses, until it is interrupted. docs/gage-relay.md has a setup for one machine, and one for many over a
bucket.

  --dir DIR                   keep messages in this folder, which others must not be able to write to; one relay at a time
  --bucket URL                keep them in an S3-compatible bucket, https://HOST/BUCKET; credentials come from AWS_ACCESS_KEY_ID,
                              AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, the region from AWS_REGION; needs --secret-file
  --port N                    port to listen on; 0 (default) takes a free one, another one at each start
  --host ADDRESS              address to listen on; 127.0.0.1 (default) is this machine alone, another one needs --public-url
  --public-url URL            origin that its users configure (https://relay.example.org); may be given several times
  --secret-file FILE          64 hex digits that its sessions hang on; made in --dir when not given
  --tls-cert FILE, --tls-key FILE  PEM files to speak https with
  --trust-proxy CIDR          proxy whose X-Forwarded-For names the sender; may be given several times
  --max-bytes N               most bytes to keep in --dir, 33554432 at least, 4294967296 when not given
  --break-lock                take --dir from a relay that cannot be seen from here, as one in a container that was killed; only
                              where nothing else starts a relay over this folder; one that runs for certain keeps it
  --pushes-per-minute N       most messages from one address, 60 when not given
  --challenges-per-minute N   most sessions from one address, 30 when not given

Exit codes: 130 interrupted, 143 terminated, 1 it could not start, 2 usage.

Example:
  gage relay serve --dir ~/relay --port 8787
  gage relay serve --dir /srv/gage --port 8787 --host 10.0.0.5 --public-url https://relay.example.org --trust-proxy 10.0.0.1
`;
