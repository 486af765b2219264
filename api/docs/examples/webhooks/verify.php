<?php
// Verifies a webhook in PHP 8. $body is what file_get_contents("php://input") gives; $headers has lower-case names.
function verify(string $secret, array $headers, string $body, ?int $now = null): bool
{
    $id = $headers["webhook-id"] ?? "";
    $time = $headers["webhook-timestamp"] ?? "";
    if ($id === "" || !ctype_digit($time) || abs(($now ?? time()) - (int) $time) > 300) {
        return false;
    }
    $key = base64_decode(substr($secret, strlen("whsec_")));
    $want = "v1," . base64_encode(hash_hmac("sha256", "$id.$time.$body", $key, true));
    foreach (explode(" ", $headers["webhook-signature"] ?? "") as $signature) {
        if (hash_equals($want, $signature)) {
            return true;
        }
    }
    return false;
}
