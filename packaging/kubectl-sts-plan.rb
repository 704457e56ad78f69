# Template of a Homebrew formula. A release fills it in with .ci/homebrew and attaches it, for use in a tap.
class KubectlStsPlan < Formula
  desc "Predict a StatefulSet's rollout step by step"
  homepage "https://github.com/@REPOSITORY@"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/kubectl-sts_plan-darwin-arm64.tar.gz"
      sha256 "@SHA256 darwin-arm64@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/kubectl-sts_plan-darwin-amd64.tar.gz"
      sha256 "@SHA256 darwin-amd64@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/kubectl-sts_plan-linux-arm64.tar.gz"
      sha256 "@SHA256 linux-arm64@"
    end
    on_intel do
      url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/kubectl-sts_plan-linux-amd64.tar.gz"
      sha256 "@SHA256 linux-amd64@"
    end
  end

  def install
    bin.install "kubectl-sts_plan"
    bin.install "completions/kubectl_complete-sts_plan"
    bash_completion.install "completions/kubectl-sts_plan.bash" => "kubectl-sts_plan"
    fish_completion.install "completions/kubectl-sts_plan.fish"
    zsh_completion.install "completions/_kubectl-sts_plan"
    man1.install "man/kubectl-sts_plan.1"
  end

  test do
    (testpath/"web.yaml").write <<~YAML
      apiVersion: apps/v1
      kind: StatefulSet
      metadata: {name: web}
      spec:
        serviceName: web
        selector: {matchLabels: {app: web}}
        template:
          metadata: {labels: {app: web}}
          spec: {containers: [{name: app, image: app}]}
    YAML
    assert_match "1 to create", shell_output("#{bin}/kubectl-sts_plan -f web.yaml")
  end
end
