/** Certificates for tests, signed by themselves. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

/** Writes `name.crt` and `name.key` into the folder. */
export function makeCertificate(folder: string, name: string, days = 30): { cert: string; key: string } {
  const [cert, key] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-keyout", key, "-out", cert, "-days", String(days), "-subj", `/CN=${name}`],
      ...["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
    ],
    { stdio: "pipe" },
  );
  return { cert, key };
}
